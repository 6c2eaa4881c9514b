coreformatsincludedir = $(reelincludedir)/core/formats
coreformatsinclude_HEADERS = \
	src/core/formats/arrow.h \
	src/core/formats/dlpack.h \
	src/core/formats/safetensors.h \
	$(NULL)

reel_sources += \
	src/core/formats/array-info.c \
	src/core/formats/array-info.h \
	src/core/formats/arff.c \
	src/core/formats/arff.h \
	src/core/formats/arrow.c \
	src/core/formats/arrow-column.c \
	src/core/formats/arrow-column.h \
	src/core/formats/arrow-import.c \
	src/core/formats/arrow-import-values.c \
	src/core/formats/arrow-node.c \
	src/core/formats/arrow-node.h \
	src/core/formats/arrow-values.c \
	src/core/formats/byte-stream.c \
	src/core/formats/byte-stream.h \
	src/core/formats/crc32c.c \
	src/core/formats/crc32c.h \
	src/core/formats/csv.c \
	src/core/formats/csv.h \
	src/core/formats/dlpack.c \
	src/core/formats/dlpack-abi.h \
	src/core/formats/file-stream.c \
	src/core/formats/file-stream.h \
	src/core/formats/file-sums.c \
	src/core/formats/file-sums.h \
	src/core/formats/isolated.c \
	src/core/formats/isolated.h \
	src/core/formats/json.c \
	src/core/formats/json.h \
	src/core/formats/npy.c \
	src/core/formats/npy.h \
	src/core/formats/numpy-types.c \
	src/core/formats/numpy-types.h \
	src/core/formats/pickle.h \
	src/core/formats/pickle-classes.c \
	src/core/formats/pickle-numpy.c \
	src/core/formats/pickle-read.c \
	src/core/formats/pickle-reader.h \
	src/core/formats/pickle-stack.c \
	src/core/formats/pickle-tree.c \
	src/core/formats/pickle-tree.h \
	src/core/formats/pickle-write.c \
	src/core/formats/row-stream.c \
	src/core/formats/row-stream.h \
	src/core/formats/safetensors.c \
	src/core/formats/torch-archive.h \
	src/core/formats/torch-archive-read.c \
	src/core/formats/torch-archive-write.c \
	src/core/formats/tar.c \
	src/core/formats/tar.h \
	src/core/formats/tf-example.c \
	src/core/formats/tf-example.h \
	src/core/formats/tf-record.c \
	src/core/formats/tf-record.h \
	src/core/formats/zip.h \
	src/core/formats/zip-read.c \
	src/core/formats/zip-write.c \
	$(NULL)

# The file that sees liblzma.
if LZMA
noinst_LTLIBRARIES += libreel-xz.la
libreel_xz_la_SOURCES = src/core/formats/xz.c src/core/formats/xz.h
libreel_xz_la_CFLAGS = $(AM_CFLAGS) $(LZMA_CFLAGS)
libreel_xz_la_LIBADD = $(LZMA_LIBS)
reel_libraries += libreel-xz.la
endif

# The files that see HDF5.
if HDF5
noinst_LTLIBRARIES += libreel-hdf5.la
libreel_hdf5_la_SOURCES = \
	src/core/formats/hdf5.h \
	src/core/formats/hdf5-chunk.c \
	src/core/formats/hdf5-chunk.h \
	src/core/formats/hdf5-direct.c \
	src/core/formats/hdf5-direct.h \
	src/core/formats/hdf5-driver.c \
	src/core/formats/hdf5-driver.h \
	src/core/formats/hdf5-fill.c \
	src/core/formats/hdf5-fill.h \
	src/core/formats/hdf5-find.c \
	src/core/formats/hdf5-handle.c \
	src/core/formats/hdf5-layout.c \
	src/core/formats/hdf5-layout.h \
	src/core/formats/hdf5-open.c \
	src/core/formats/hdf5-private.h \
	src/core/formats/hdf5-process.c \
	src/core/formats/hdf5-rows.c \
	src/core/formats/hdf5-sets.c \
	src/core/formats/hdf5-sets.h \
	src/core/formats/hdf5-type.c \
	src/core/formats/hdf5-value.c \
	src/core/formats/hdf5-write.c \
	$(NULL)
libreel_hdf5_la_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
libreel_hdf5_la_LIBADD = $(HDF5_LIBS)
if LIBDEFLATE
libreel_hdf5_la_CFLAGS += -DREEL_WITH_LIBDEFLATE $(LIBDEFLATE_CFLAGS)
libreel_hdf5_la_LIBADD += $(LIBDEFLATE_LIBS)
endif
reel_libraries += libreel-hdf5.la
endif
