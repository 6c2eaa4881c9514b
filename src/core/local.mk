coreincludedir = $(reelincludedir)/core
coreinclude_HEADERS = \
	src/core/arrow.h \
	src/core/dlpack.h \
	src/core/dtype.h \
	src/core/error.h \
	src/core/image.h \
	src/core/image-draw.h \
	src/core/index.h \
	src/core/lazy-stack.h \
	src/core/macros.h \
	src/core/memory.h \
	src/core/non-tensor.h \
	src/core/object.h \
	src/core/plot.h \
	src/core/random.h \
	src/core/record.h \
	src/core/shape.h \
	src/core/ted.h \
	src/core/tensor.h \
	src/core/tensordict.h \
	src/core/tensordict-apply.h \
	src/core/tensordict-compare.h \
	src/core/tensordict-files.h \
	src/core/tensordict-index.h \
	src/core/tensordict-keys.h \
	src/core/tensordict-update.h \
	src/core/tree-files.h \
	src/core/tree.h \
	$(NULL)

reel_sources += \
	src/core/archive-tree.c \
	src/core/arrow.c \
	src/core/arrow-column.h \
	src/core/arrow-import.c \
	src/core/arrow-import-values.c \
	src/core/arrow-node.c \
	src/core/arrow-node.h \
	src/core/arrow-values.c \
	src/core/background.c \
	src/core/background.h \
	src/core/canvas.c \
	src/core/canvas.h \
	src/core/canvas-cover.c \
	src/core/canvas-curve.c \
	src/core/canvas-exact.c \
	src/core/canvas-private.h \
	src/core/closest-word.c \
	src/core/component-print.c \
	src/core/component-print.h \
	src/core/convert-kernel.h \
	src/core/cpus.c \
	src/core/cpus.h \
	src/core/crc32c.c \
	src/core/crc32c.h \
	src/core/directories.c \
	src/core/directories.h \
	src/core/directory-tree.c \
	src/core/dlpack.c \
	src/core/dlpack-abi.h \
	src/core/drafts.c \
	src/core/drafts.h \
	src/core/dtype.c \
	src/core/episode-bounds.c \
	src/core/episode-bounds-kernel.h \
	src/core/error.c \
	src/core/exit-directories.c \
	src/core/exit-directories.h \
	src/core/file-ops.c \
	src/core/file-ops.h \
	src/core/file-tree.c \
	src/core/file-tree.h \
	src/core/files.c \
	src/core/files.h \
	src/core/find-trajectories.c \
	src/core/form.c \
	src/core/form.h \
	src/core/gate.c \
	src/core/gate.h \
	src/core/half.h \
	src/core/held-directory.c \
	src/core/held-directory.h \
	src/core/image-draw.c \
	src/core/image-text.c \
	src/core/index.c \
	src/core/index-plan.c \
	src/core/index-plan.h \
	src/core/isa.c \
	src/core/isa.h \
	src/core/isolated.c \
	src/core/isolated.h \
	src/core/json.c \
	src/core/json.h \
	src/core/lazy-stack.c \
	src/core/lazy-stack-index.c \
	src/core/lazy-stack-private.h \
	src/core/lazy-stack-shape.c \
	src/core/load-collection.c \
	src/core/load-leaf.c \
	src/core/load-level.c \
	src/core/load-level.h \
	src/core/mapped-memory.c \
	src/core/mapped-memory.h \
	src/core/mapping.c \
	src/core/mapping.h \
	src/core/memmap-format.c \
	src/core/memmap-format.h \
	src/core/memory.c \
	src/core/non-tensor.c \
	src/core/non-tensor-print.c \
	src/core/non-tensor-private.h \
	src/core/number.c \
	src/core/number.h \
	src/core/object.c \
	src/core/object-text.c \
	src/core/pages.c \
	src/core/pages.h \
	src/core/parallel.c \
	src/core/parallel.h \
	src/core/path.c \
	src/core/pcg64.h \
	src/core/pcg64-vector.h \
	src/core/pickle.h \
	src/core/pickle-classes.c \
	src/core/pickle-read.c \
	src/core/pickle-reader.h \
	src/core/pickle-stack.c \
	src/core/pickle-write.c \
	src/core/plot.c \
	src/core/plot-axes.c \
	src/core/plot-private.h \
	src/core/power-kernel.h \
	src/core/property.c \
	src/core/property.h \
	src/core/property-text.c \
	src/core/ragged.c \
	src/core/ragged.h \
	src/core/random.c \
	src/core/random-kernel.h \
	src/core/record.c \
	src/core/registry.c \
	src/core/registry.h \
	src/core/reward-to-go.c \
	src/core/row-stream.c \
	src/core/row-stream.h \
	src/core/save-archive.c \
	src/core/save-directory.c \
	src/core/save-plan.c \
	src/core/save-plan.h \
	src/core/select.c \
	src/core/select-kernel.h \
	src/core/settings.c \
	src/core/settings.h \
	src/core/shape-copies.c \
	src/core/shape-operation.h \
	src/core/shape-views.c \
	src/core/sine-kernel.h \
	src/core/split-trajectories.c \
	src/core/state-values.c \
	src/core/state-values.h \
	src/core/step-mdp.c \
	src/core/take.c \
	src/core/take.h \
	src/core/tensor.c \
	src/core/tensor-compare.c \
	src/core/tensor-compare.h \
	src/core/tensor-copy.c \
	src/core/tensor-index.c \
	src/core/tensor-print.c \
	src/core/tensor-private.h \
	src/core/tensor-shape.c \
	src/core/tensor-take.c \
	src/core/tensor-view.c \
	src/core/tensordict.c \
	src/core/tensordict-apply.c \
	src/core/tensordict-batch.c \
	src/core/tensordict-class.c \
	src/core/tensordict-combine.c \
	src/core/tensordict-compare.c \
	src/core/tensordict-equal.c \
	src/core/tensordict-index.c \
	src/core/tensordict-keys.c \
	src/core/tensordict-load.c \
	src/core/tensordict-lock.c \
	src/core/tensordict-lookup.c \
	src/core/tensordict-names.c \
	src/core/tensordict-print.c \
	src/core/tensordict-private.h \
	src/core/tensordict-rename.c \
	src/core/tensordict-save.c \
	src/core/tensordict-set.c \
	src/core/tensordict-shape.c \
	src/core/tensordict-stack.c \
	src/core/tensordict-update.c \
	src/core/tensordict-value.c \
	src/core/tensordict-walk.c \
	src/core/text.c \
	src/core/text.h \
	src/core/thread.c \
	src/core/thread.h \
	src/core/torch-archive.h \
	src/core/torch-archive-read.c \
	src/core/torch-archive-write.c \
	src/core/tree.c \
	src/core/tree-files.c \
	src/core/tree-private.h \
	src/core/variant.c \
	src/core/variant.h \
	src/core/variant-json.c \
	src/core/variant-repr.c \
	src/core/vector.h \
	src/core/workers.c \
	src/core/workers.h \
	src/core/ziggurat.c \
	src/core/ziggurat-tables.h \
	src/core/zip.h \
	src/core/zip-read.c \
	src/core/zip-write.c \
	$(NULL)

reel_kernels += \
	src/core/convert-kernel.c \
	src/core/episode-bounds-kernel.c \
	src/core/power-kernel.c \
	src/core/random-kernel.c \
	src/core/select-kernel.c \
	$(NULL)

# The one file that sees libpng.
noinst_LTLIBRARIES += libreel-png.la
libreel_png_la_SOURCES = src/core/image.c
libreel_png_la_CFLAGS = $(AM_CFLAGS) $(PNG_CFLAGS)
libreel_png_la_LIBADD = $(PNG_LIBS)
reel_libraries += libreel-png.la

# The files that see HDF5.
if HDF5
noinst_LTLIBRARIES += libreel-hdf5.la
libreel_hdf5_la_SOURCES = \
	src/core/hdf5.h \
	src/core/hdf5-driver.c \
	src/core/hdf5-driver.h \
	src/core/hdf5-find.c \
	src/core/hdf5-handle.c \
	src/core/hdf5-private.h \
	src/core/hdf5-process.c \
	src/core/hdf5-rows.c \
	src/core/hdf5-type.c \
	src/core/hdf5-value.c \
	src/core/hdf5-write.c \
	$(NULL)
libreel_hdf5_la_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
libreel_hdf5_la_LIBADD = $(HDF5_LIBS)
reel_libraries += libreel-hdf5.la
endif
