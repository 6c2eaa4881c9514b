checkpointsincludedir = $(buffersincludedir)/checkpoints
checkpointsinclude_HEADERS = \
	src/buffers/checkpoints/buffer-specs.h \
	src/buffers/checkpoints/buffer-state.h \
	src/buffers/checkpoints/checkpoint.h \
	src/buffers/checkpoints/checkpoint-report.h \
	src/buffers/checkpoints/checkpointer.h \
	src/buffers/checkpoints/part-files.h \
	$(NULL)

reel_sources += \
	src/buffers/checkpoints/batch-files.c \
	src/buffers/checkpoints/buffer-files.c \
	src/buffers/checkpoints/buffer-files.h \
	src/buffers/checkpoints/buffer-run-state.c \
	src/buffers/checkpoints/buffer-run-state.h \
	src/buffers/checkpoints/buffer-specs.c \
	src/buffers/checkpoints/buffer-state.c \
	src/buffers/checkpoints/buffer-stream-state.c \
	src/buffers/checkpoints/buffer-stream-state.h \
	src/buffers/checkpoints/checkpoint-consuming.c \
	src/buffers/checkpoints/checkpoint-dump.c \
	src/buffers/checkpoints/checkpoint-files.c \
	src/buffers/checkpoints/checkpoint-files.h \
	src/buffers/checkpoints/checkpoint-kind.c \
	src/buffers/checkpoints/checkpoint-left-out.c \
	src/buffers/checkpoints/checkpoint-load.c \
	src/buffers/checkpoints/checkpoint-fingerprint.c \
	src/buffers/checkpoints/checkpoint-fingerprint.h \
	src/buffers/checkpoints/checkpoint-order.c \
	src/buffers/checkpoints/checkpoint-part.c \
	src/buffers/checkpoints/checkpoint-priorities.c \
	src/buffers/checkpoints/checkpoint-read.c \
	src/buffers/checkpoints/checkpoint-report.c \
	src/buffers/checkpoints/checkpoint-report-private.h \
	src/buffers/checkpoints/checkpoint-sampler.c \
	src/buffers/checkpoints/checkpoint-target.c \
	src/buffers/checkpoints/checkpoint-values.c \
	src/buffers/checkpoints/checkpoint-values.h \
	src/buffers/checkpoints/checkpoint-verify.c \
	src/buffers/checkpoints/checkpoint-verify.h \
	src/buffers/checkpoints/checkpoint-writer.c \
	src/buffers/checkpoints/checkpoint-writer.h \
	src/buffers/checkpoints/checkpointer.c \
	src/buffers/checkpoints/checkpointer-private.h \
	src/buffers/checkpoints/checksums.c \
	src/buffers/checkpoints/compared-sums.c \
	src/buffers/checkpoints/compared-sums.h \
	src/buffers/checkpoints/cut-info.c \
	src/buffers/checkpoints/cut-info.h \
	src/buffers/checkpoints/empty-chain.c \
	src/buffers/checkpoints/empty-chain.h \
	src/buffers/checkpoints/flat-form.c \
	src/buffers/checkpoints/flat-form.h \
	src/buffers/checkpoints/flat-keys.c \
	src/buffers/checkpoints/flat-ted.h \
	src/buffers/checkpoints/flat-ted-pack.c \
	src/buffers/checkpoints/flat-ted-unpack.c \
	src/buffers/checkpoints/foreign-files.c \
	src/buffers/checkpoints/foreign-files.h \
	src/buffers/checkpoints/kept-sums.c \
	src/buffers/checkpoints/kept-sums.h \
	src/buffers/checkpoints/live-buffer.c \
	src/buffers/checkpoints/resumed-rows.c \
	src/buffers/checkpoints/resumed-rows.h \
	src/buffers/checkpoints/row-check.c \
	src/buffers/checkpoints/rows-verify.c \
	src/buffers/checkpoints/run-state.c \
	src/buffers/checkpoints/run-state.h \
	src/buffers/checkpoints/sampler-files.c \
	src/buffers/checkpoints/sidecar.c \
	src/buffers/checkpoints/sidecar.h \
	src/buffers/checkpoints/storage-files.c \
	src/buffers/checkpoints/ted-check.c \
	src/buffers/checkpoints/ted-check.h \
	src/buffers/checkpoints/ted-checkpointer.c \
	src/buffers/checkpoints/ted-checkpointer.h \
	src/buffers/checkpoints/writer-files.c \
	$(NULL)

reel_classes += \
	src/buffers/checkpoints/flat-checkpointer.c \
	src/buffers/checkpoints/nested-checkpointer.c \
	src/buffers/checkpoints/tensor-checkpointer.c \
	$(NULL)

if HDF5
reel_classes += src/buffers/checkpoints/h5-checkpointer.c
endif
