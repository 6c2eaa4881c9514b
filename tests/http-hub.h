/* Repositories of data sets, as Hugging Face serves them. */
#pragma once

#include "http-request.h"

G_BEGIN_DECLS

/* Answers a request: OWNER/NAME is a directory of the scratch directory. */
void http_hub_serve (const HttpRequest *self);

G_END_DECLS
