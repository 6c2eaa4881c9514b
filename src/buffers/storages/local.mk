storagesincludedir = $(buffersincludedir)/storages
storagesinclude_HEADERS = \
	src/buffers/storages/storage.h \
	$(NULL)

reel_sources += \
	src/buffers/storages/columns.c \
	src/buffers/storages/columns.h \
	src/buffers/storages/copy-kernel.h \
	src/buffers/storages/cut-rows.c \
	src/buffers/storages/cut-rows.h \
	src/buffers/storages/gather-kernel.h \
	src/buffers/storages/given-storage.c \
	src/buffers/storages/index-shape.c \
	src/buffers/storages/index-shape.h \
	src/buffers/storages/layout.c \
	src/buffers/storages/layout.h \
	src/buffers/storages/packed-leaf.c \
	src/buffers/storages/packed-leaf.h \
	src/buffers/storages/racy-copy.h \
	src/buffers/storages/ring.c \
	src/buffers/storages/ring.h \
	src/buffers/storages/row-copy.c \
	src/buffers/storages/row-copy.h \
	src/buffers/storages/storage.c \
	src/buffers/storages/storage-ahead.c \
	src/buffers/storages/storage-block.c \
	src/buffers/storages/storage-generations.c \
	src/buffers/storages/storage-leaves.c \
	src/buffers/storages/storage-leaves.h \
	src/buffers/storages/storage-load.c \
	src/buffers/storages/storage-load.h \
	src/buffers/storages/storage-look.c \
	src/buffers/storages/storage-look.h \
	src/buffers/storages/storage-private.h \
	src/buffers/storages/storage-snapshot.c \
	src/buffers/storages/storage-state.h \
	src/buffers/storages/storage-write.c \
	src/buffers/storages/stream-copy.h \
	src/buffers/storages/strided-copy.h \
	src/buffers/storages/item-index.c \
	src/buffers/storages/item-index.h \
	src/buffers/storages/item-rows.c \
	src/buffers/storages/item-rows.h \
	src/buffers/storages/item-storage.c \
	src/buffers/storages/item-storage.h \
	src/buffers/storages/item-table.c \
	src/buffers/storages/item-table.h \
	$(NULL)

reel_classes += \
	src/buffers/storages/compressed-list-storage.c \
	src/buffers/storages/lazy-stack-storage.c \
	src/buffers/storages/list-storage.c \
	src/buffers/storages/memmap-storage.c \
	src/buffers/storages/tensor-storage.c \
	$(NULL)

reel_kernels += \
	src/buffers/storages/copy-kernel.c \
	src/buffers/storages/gather-kernel.c \
	$(NULL)
