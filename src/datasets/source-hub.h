/* Repositories of data on a server of Hugging Face's kind: its listings, and the files of a
 * repository. Private to source-remote.c. Source: the Hub API, and the URLs of huggingface_hub. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_hub_is_url:
 * @url: a URL
 *
 * Returns: whether it is of repositories: `hf://OWNER`, whose repositories are directories, or
 *   `hf://OWNER/REPOSITORY[@REVISION][/DIRECTORY]`; `hf://datasets/` may begin it
 */
gboolean reel_hub_is_url (const char *url);

/**
 * reel_hub_complete_url:
 * @url: a URL of repositories
 * @error: VALUE where it names no owner, or the environment variable `HF_ENDPOINT` no server
 *
 * Returns: (transfer full): the same with the address of the server, for the other functions
 */
char *reel_hub_complete_url (const char *url, GError **error);

/**
 * reel_hub_fetch:
 * @url: what reel_hub_complete_url() made
 * @name: a path below it
 * @path: the file or directory to make of what is there
 * @again: whether files are fetched that were fetched before
 * @error: as reel_http_fetch(); DAMAGED for a listing that is none
 *
 * Fetches a file, or all files below a directory, whose checksums the server's listing says.
 *
 * Returns: whether it went well, also where nothing is there
 */
gboolean reel_hub_fetch (const char *url, const char *name, const char *path, gboolean again,
                         GError **error);

/**
 * reel_hub_list:
 * @url: what reel_hub_complete_url() made
 * @directory: a path below it, or ""
 * @scratch: a file that may be made meanwhile
 * @error: VALUE where there is no such directory; as reel_hub_fetch()
 *
 * Returns: (transfer full) (array zero-terminated=1): the names in it, those of directories with a
 *   slash at their end
 */
char **reel_hub_list (const char *url, const char *directory, const char *scratch, GError **error);

G_END_DECLS
