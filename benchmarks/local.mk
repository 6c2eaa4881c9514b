# Each prints its figures and appends them to the file it is given.
reel_benchmarks = \
	benchmarks/bench-buffer \
	benchmarks/bench-cartpole \
	benchmarks/bench-checkpoint \
	benchmarks/bench-classic \
	benchmarks/bench-collector \
	benchmarks/bench-extend \
	benchmarks/bench-frames \
	benchmarks/bench-images \
	benchmarks/bench-memmap \
	benchmarks/bench-multi \
	benchmarks/bench-multi-step \
	benchmarks/bench-parallel \
	benchmarks/bench-priority \
	benchmarks/bench-process \
	benchmarks/bench-sample \
	benchmarks/bench-slices \
	benchmarks/bench-specs \
	benchmarks/bench-ted \
	benchmarks/bench-tensordict \
	$(NULL)
if HDF5
reel_benchmarks += benchmarks/bench-datasets
endif
if BLAS
reel_benchmarks += benchmarks/bench-learn
endif
if MUJOCO
reel_benchmarks += benchmarks/bench-mujoco benchmarks/bench-mujoco-frames
endif
if MPI
reel_benchmarks += benchmarks/bench-ranks
endif
reel_limit_programs = benchmarks/limits/same-files

# The common part of benchmarks.
check_LTLIBRARIES += libreel-bench.la
libreel_bench_la_SOURCES = \
	benchmarks/bare-columns.c \
	benchmarks/bare-columns.h \
	benchmarks/bench.c \
	benchmarks/bench.h \
	benchmarks/cartpole-leaves.h \
	benchmarks/cartpole-run.c \
	benchmarks/cartpole-run.h \
	benchmarks/hand-rows.c \
	benchmarks/hand-rows.h \
	benchmarks/limit-columns.c \
	benchmarks/limit-columns.h \
	benchmarks/machine.c \
	benchmarks/machine.h \
	benchmarks/sample-time.c \
	benchmarks/sample-time.h \
	benchmarks/scratch-folder.c \
	benchmarks/scratch-folder.h \
	$(NULL)

# The limits, which share nothing with the library: those of one instruction set or another, and the rest. They may
# ignore what the bits of a kernel have to mind.
limit_cflags = -ffinite-math-only -fno-signed-zeros
limit_loops = \
	benchmarks/limits/cartpole-physics.c \
	benchmarks/limits/cartpole-scalar.c \
	benchmarks/limits/classic-physics.c \
	benchmarks/limits/copies.c \
	benchmarks/limits/gathers.c \
	benchmarks/limits/gemm.c \
	benchmarks/limits/reads.c \
	benchmarks/limits/streaming-stores.c \
	$(NULL)
check_LTLIBRARIES += liblimit-generic.la
liblimit_generic_la_SOURCES = $(limit_loops)
liblimit_generic_la_CFLAGS = $(generic_cflags) $(limit_cflags) -DLIMIT_LEVEL=generic
limit_libraries = liblimit-generic.la
if ISA_X86_64
check_LTLIBRARIES += liblimit-avx2.la liblimit-avx512.la
liblimit_avx2_la_SOURCES = $(limit_loops)
liblimit_avx2_la_CFLAGS = $(avx2_cflags) $(limit_cflags) -DLIMIT_LEVEL=avx2
liblimit_avx512_la_SOURCES = $(limit_loops)
liblimit_avx512_la_CFLAGS = $(avx512_cflags) $(limit_cflags) -DLIMIT_LEVEL=avx512
limit_libraries += liblimit-avx2.la liblimit-avx512.la
endif

check_LTLIBRARIES += libreel-limits.la
libreel_limits_la_SOURCES = \
	benchmarks/limits/direct-file.c \
	benchmarks/limits/gemm-loop.c \
	benchmarks/limits/gemm-loop.h \
	benchmarks/limits/hash-lookup.c \
	benchmarks/limits/import-files.c \
	benchmarks/limits/level.c \
	benchmarks/limits/level.h \
	benchmarks/limits/limits.h \
	benchmarks/limits/memory-limits.h \
	benchmarks/limits/plain-calls.c \
	benchmarks/limits/plain-calls.h \
	benchmarks/limits/plain-files.c \
	benchmarks/limits/populate-file.c \
	benchmarks/limits/round-trips.c \
	benchmarks/limits/store-rows.h \
	$(NULL)
libreel_limits_la_CFLAGS = $(kernel_cflags)
libreel_limits_la_LIBADD = $(limit_libraries) $(ZLIB_LIBS)
if LIBDEFLATE
libreel_limits_la_SOURCES += benchmarks/limits/inflate-whole.c
libreel_limits_la_CFLAGS += $(LIBDEFLATE_CFLAGS)
libreel_limits_la_LIBADD += $(LIBDEFLATE_LIBS)
endif
benchmarks_limits_same_files_LDADD =

benchmark_libraries = libreel-bench.la libreel-limits.la libreel-static.la -lm
benchmarks_bench_buffer_LDADD = $(benchmark_libraries)
benchmarks_bench_cartpole_LDADD = $(benchmark_libraries)
benchmarks_bench_checkpoint_LDADD = $(benchmark_libraries)
benchmarks_bench_classic_LDADD = $(benchmark_libraries)
benchmarks_bench_collector_LDADD = $(benchmark_libraries)
benchmarks_bench_datasets_LDADD = $(benchmark_libraries) $(HDF5_LIBS) $(ZLIB_LIBS)
benchmarks_bench_datasets_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
if LIBDEFLATE
benchmarks_bench_datasets_CFLAGS += -DHAVE_LIBDEFLATE
endif
benchmarks_bench_extend_LDADD = $(benchmark_libraries)
benchmarks_bench_frames_LDADD = $(benchmark_libraries)
benchmarks_bench_images_LDADD = $(benchmark_libraries)
benchmarks_bench_learn_LDADD = libreel-learn.la $(benchmark_libraries)
benchmarks_bench_memmap_LDADD = $(benchmark_libraries)
benchmarks_bench_mujoco_LDADD = $(benchmark_libraries)
benchmarks_bench_mujoco_frames_LDADD = $(benchmark_libraries)
benchmarks_bench_multi_LDADD = $(benchmark_libraries)
benchmarks_bench_multi_step_LDADD = $(benchmark_libraries)
benchmarks_bench_parallel_LDADD = $(benchmark_libraries)
benchmarks_bench_priority_LDADD = $(benchmark_libraries)
benchmarks_bench_process_LDADD = $(benchmark_libraries)
benchmarks_bench_ranks_LDADD = $(benchmark_libraries) $(MPI_LIBS)
benchmarks_bench_sample_LDADD = $(benchmark_libraries)
benchmarks_bench_slices_LDADD = $(benchmark_libraries)
benchmarks_bench_specs_LDADD = $(benchmark_libraries)
benchmarks_bench_ted_LDADD = $(benchmark_libraries)
benchmarks_bench_tensordict_LDADD = $(benchmark_libraries)
benchmarks_bench_mujoco_CFLAGS = $(AM_CFLAGS) $(MUJOCO_CFLAGS)
benchmarks_bench_mujoco_SOURCES = \
	benchmarks/bench-mujoco.c \
	benchmarks/limits/mujoco-loop.c \
	benchmarks/limits/mujoco-loop.h \
	$(NULL)

check_PROGRAMS += $(reel_benchmarks) $(reel_limit_programs) benchmarks/isas
benchmarks_isas_LDADD = libreel-static.la
CLEANFILES += bench.ndjson bench-peers.ndjson

# Once with each instruction set that is worth it.
bench: all $(reel_benchmarks) $(reel_limit_programs) benchmarks/isas
	@rm -f bench.ndjson
	@for benchmark in $(reel_benchmarks); do \
	  for isa in $$(benchmarks/isas); do \
	    REEL_ISA=$$isa ./$$benchmark bench.ndjson || exit; \
	  done; \
	done

# Ours over the programs that people use otherwise, in a virtual environment that is made on demand.
PEERS = $(HOME)/.cache/reel-peers
bench-peers: all $(reel_benchmarks) benchmarks/isas
	$(srcdir)/benchmarks/peers/setup.sh '$(PEERS)'
	'$(PEERS)/bin/python' $(srcdir)/benchmarks/peers/compare.py collect bench-peers.ndjson

# The figures that were measured, as Markdown.
bench-tables:
	@python3 $(srcdir)/benchmarks/tables.py $$(ls bench.ndjson bench-peers.ndjson 2>/dev/null)

# The same as a picture.
bench-chart:
	@python3 -B $(srcdir)/benchmarks/chart.py $$(ls bench.ndjson bench-peers.ndjson 2>/dev/null) >speed.svg || { rm -f speed.svg; exit 1; }
	@echo 'the picture is speed.svg'
CLEANFILES += speed.svg

.PHONY: bench bench-chart bench-peers bench-tables

EXTRA_DIST += \
	benchmarks/chart.py \
	benchmarks/peers/compare.py \
	benchmarks/peers/cpprb_buffer.py \
	benchmarks/peers/cpprb_prioritized.py \
	benchmarks/peers/envpool_mujoco.py \
	benchmarks/peers/envpool_vector.py \
	benchmarks/peers/gymnasium_frames.py \
	benchmarks/peers/gymnasium_loop.py \
	benchmarks/peers/gymnasium_vector.py \
	benchmarks/peers/hf_tokenizers.py \
	benchmarks/peers/opencv_images.py \
	benchmarks/peers/requirements.txt \
	benchmarks/peers/sb3_buffer.py \
	benchmarks/peers/sb3_learn.py \
	benchmarks/peers/setup.sh \
	benchmarks/peers/tensordict_ops.py \
	benchmarks/peers/torch_update.py \
	benchmarks/peers/torchrl_buffer.py \
	benchmarks/peers/torchrl_collector.py \
	benchmarks/peers/torchrl_datasets.py \
	benchmarks/peers/torchrl_first.py \
	benchmarks/peers/torchrl_images.py \
	benchmarks/peers/torchrl_multi_step.py \
	benchmarks/peers/torchrl_prioritized.py \
	benchmarks/peers/torchrl_slices.py \
	benchmarks/peers/torchrl_transforms.py \
	benchmarks/tables.py \
	$(NULL)
