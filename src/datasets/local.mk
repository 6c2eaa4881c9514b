datasetsincludedir = $(reelincludedir)/datasets
datasetsinclude_HEADERS = \
	src/datasets/buffer-export.h \
	src/datasets/dataset.h \
	src/datasets/preprocess.h \
	$(NULL)

reel_sources += \
	src/datasets/dataset.c \
	src/datasets/dataset-place.h \
	src/datasets/csv-columns.c \
	src/datasets/csv-columns.h \
	src/datasets/dataset-leaves.c \
	src/datasets/dataset-leaves.h \
	src/datasets/episode-split.c \
	src/datasets/episode-split.h \
	src/datasets/growing-leaves.c \
	src/datasets/growing-leaves.h \
	src/datasets/buffer-export.c \
	src/datasets/export-csv.c \
	src/datasets/export-formats.h \
	src/datasets/export-npz.c \
	src/datasets/export-rows.c \
	src/datasets/export-rows.h \
	src/datasets/openml-files.c \
	src/datasets/openml-files.h \
	src/datasets/openx-example.c \
	src/datasets/openx-pickle.c \
	src/datasets/openx-steps.c \
	src/datasets/openx-steps.h \
	src/datasets/preprocess.c \
	src/datasets/raw-arrays.c \
	src/datasets/raw-arrays.h \
	src/datasets/raw-file.c \
	src/datasets/raw-file.h \
	src/datasets/raw-groups.c \
	src/datasets/raw-groups.h \
	src/datasets/row-mapper.c \
	src/datasets/row-mapper.h \
	src/datasets/source-files.c \
	src/datasets/source-files.h \
	src/datasets/source-remote.h \
	src/datasets/standardize.c \
	src/datasets/standardize.h \
	src/datasets/table-names.c \
	src/datasets/table-names.h \
	$(NULL)

reel_classes += \
	src/datasets/arrays-dataset.c \
	src/datasets/atari-dataset.c \
	src/datasets/gendgrl-dataset.c \
	src/datasets/csv-dataset.c \
	src/datasets/openml-dataset.c \
	src/datasets/openx-dataset.c \
	src/datasets/vd4rl-dataset.c \
	$(NULL)

# The file that sees libcurl.
if CURL
noinst_LTLIBRARIES += libreel-curl.la
libreel_curl_la_SOURCES = src/datasets/http-fetch.c src/datasets/http-fetch.h
libreel_curl_la_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS)
libreel_curl_la_LIBADD = $(CURL_LIBS)
reel_libraries += libreel-curl.la
reel_sources += \
	src/datasets/source-cache.c \
	src/datasets/source-cache.h \
	src/datasets/source-hub.c \
	src/datasets/source-hub.h \
	src/datasets/source-remote.c \
	$(NULL)
endif

# The files that read HDF5.
if HDF5
reel_sources += \
	src/datasets/d4rl-files.c \
	src/datasets/d4rl-files.h \
	src/datasets/export-hdf5.c \
	src/datasets/export-minari.c \
	src/datasets/gymnasium-specs.c \
	src/datasets/gymnasium-specs.h \
	src/datasets/minari-rows.c \
	src/datasets/minari-rows.h \
	src/datasets/minari-spaces.c \
	src/datasets/minari-spaces.h \
	$(NULL)

reel_classes += \
	src/datasets/d4rl-dataset.c \
	src/datasets/minari-dataset.c \
	src/datasets/roboset-dataset.c \
	$(NULL)
endif
