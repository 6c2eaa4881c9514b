coretensordictfilesincludedir = $(reelincludedir)/core/tensordict-files
coretensordictfilesinclude_HEADERS = \
	src/core/tensordict-files/tensordict-files.h \
	src/core/tensordict-files/tree-files.h \
	$(NULL)

reel_sources += \
	src/core/tensordict-files/archive-tree.c \
	src/core/tensordict-files/directory-tree.c \
	src/core/tensordict-files/file-tree.c \
	src/core/tensordict-files/file-tree.h \
	src/core/tensordict-files/load-collection.c \
	src/core/tensordict-files/load-leaf.c \
	src/core/tensordict-files/load-level.c \
	src/core/tensordict-files/load-level.h \
	src/core/tensordict-files/memmap-format.c \
	src/core/tensordict-files/memmap-format.h \
	src/core/tensordict-files/save-archive.c \
	src/core/tensordict-files/save-directory.c \
	src/core/tensordict-files/save-plan.c \
	src/core/tensordict-files/save-plan.h \
	src/core/tensordict-files/tensordict-load.c \
	src/core/tensordict-files/tensordict-save.c \
	src/core/tensordict-files/tree-files.c \
	$(NULL)
