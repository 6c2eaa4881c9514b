/* The parts of a program for exec: what it says and hears, and its ways not to keep to the
 * protocol. */
#pragma once

#include <jansson.h>
#include <stddef.h>

enum
{
  EXEC_SOCKET = 3,
  EXEC_MEMORY = 4,
};

/* The way not to keep to it, or "good", and at which message, from 1. */
extern const char *exec_mode;
extern long exec_fault_at;

int exec_is (const char *mode);
void exec_say (const char *text, size_t n);

/* A line that Reel sent; where there is none, the program ends. */
char *exec_hear (void);

/* In the place of specs: whether the mode wants something else to happen. */
int exec_begin_wrongly (void);

/* In the place of the answer to a message; 0 to answer nevertheless. */
int exec_break_down (void);

/* The echo of @message, and more where the mode wants that. */
void exec_echo (char message, long number);

char *exec_map (json_t *places);

/* The place of a leaf. */
void *exec_find (json_t *places, char *memory, const char *parent, const char *key);

/* A program that acts, in the place of one that simulates. */
int exec_act (json_t *hello);

/* A model of text. */
int exec_model (json_t *hello);
