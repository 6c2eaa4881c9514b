# TAP, one program a unit.
reel_tests = \
	tests/test-add-step \
	tests/test-archive-damage \
	tests/test-arrow \
	tests/test-async-env \
	tests/test-background \
	tests/test-batch-info \
	tests/test-bounded-spec \
	tests/test-buffer-index \
	tests/test-buffer-priority \
	tests/test-buffer-specs \
	tests/test-buffer-state \
	tests/test-buffer-transforms \
	tests/test-callback-policy \
	tests/test-canvas \
	tests/test-cartpole-env \
	tests/test-cat-frames \
	tests/test-checkpoint \
	tests/test-checkpoint-changes \
	tests/test-checkpoint-consuming \
	tests/test-checkpoint-damage \
	tests/test-checkpoint-faults \
	tests/test-checkpoint-golden \
	tests/test-checkpoint-memory \
	tests/test-checkpoint-order \
	tests/test-checkpoint-passes \
	tests/test-checkpoint-priorities \
	tests/test-checkpoint-trajectories \
	tests/test-checkpoint-values \
	tests/test-checkpoint-verify \
	tests/test-checkpointers \
	tests/test-chi-square \
	tests/test-choice-spec \
	tests/test-class-masks \
	tests/test-class-specs \
	tests/test-classic-envs \
	tests/test-classic-golden \
	tests/test-closest-word \
	tests/test-collate \
	tests/test-column-stats \
	tests/test-cold-rows \
	tests/test-collector-agents \
	tests/test-collector-arguments \
	tests/test-collector-background \
	tests/test-collector-batches \
	tests/test-collector-memory \
	tests/test-collector-policies \
	tests/test-collector-restarts \
	tests/test-collector-trajectories \
	tests/test-collectors \
	tests/test-collectors-golden \
	tests/test-multi-async \
	tests/test-lane-ranges \
	tests/test-rank-watch \
	tests/test-multi-collectors \
	tests/test-multi-failures \
	tests/test-multi-golden \
	tests/test-multi-kills \
	tests/test-multi-states \
	tests/test-composite-spec \
	tests/test-constant-policy \
	tests/test-consuming \
	tests/test-cpus \
	tests/test-csv-dataset \
	tests/test-dataset-leaves \
	tests/test-growing-leaves \
	tests/test-datasets-golden \
	tests/test-crc32c \
	tests/test-directories \
	tests/test-drafts \
	tests/test-dlpack \
	tests/test-dtype \
	tests/test-export \
	tests/test-ensemble-files \
	tests/test-ensemble-flatten \
	tests/test-ensemble-info \
	tests/test-ensemble-prefetch \
	tests/test-ensemble-routing \
	tests/test-ensemble-weights \
	tests/test-env-check \
	tests/test-exec-env \
	tests/test-exec-policy \
	tests/test-env-models \
	tests/test-env-pixels \
	tests/test-env-results \
	tests/test-env-rollout \
	tests/test-env-states \
	tests/test-env-step \
	tests/test-env-streams \
	tests/test-envs \
	tests/test-episode-bounds \
	tests/test-episode-files \
	tests/test-errands \
	tests/test-error \
	tests/test-exp \
	tests/test-file-ops \
	tests/test-file-stream \
	tests/test-files \
	tests/test-film-gif \
	tests/test-find-trajectories \
	tests/test-flat-ted \
	tests/test-frames \
	tests/test-gate \
	tests/test-gate-portable \
	tests/test-given-storage \
	tests/test-hindsight \
	tests/test-hindsight-while-writing \
	tests/test-image \
	tests/test-image-draw \
	tests/test-image-passes \
	tests/test-images \
	tests/test-jpeg \
	tests/test-index \
	tests/test-index-memory \
	tests/test-isa \
	tests/test-isolated \
	tests/test-iteration \
	tests/test-json \
	tests/test-kl-controller \
	tests/test-lazy-stack \
	tests/test-lazy-stack-assign \
	tests/test-lazy-stack-index \
	tests/test-lazy-stack-keys \
	tests/test-lazy-stack-shape \
	tests/test-link-kernels \
	tests/test-live-buffer \
	tests/test-live-place \
	tests/test-loads-whole \
	tests/test-max-value-writer \
	tests/test-memmap-storage \
	tests/test-mixed-env \
	tests/test-mixed-golden \
	tests/test-mlp-policy \
	tests/test-multi-step \
	tests/test-multi-step-transform \
	tests/test-non-tensor \
	tests/test-npy \
	tests/test-null-errors \
	tests/test-observation-norm \
	tests/test-number \
	tests/test-object \
	tests/test-offline-to-online \
	tests/test-pages \
	tests/test-part-files \
	tests/test-peer-names \
	tests/test-pickle \
	tests/test-pixel-lanes \
	tests/test-option-file \
	tests/test-player \
	tests/test-plot \
	tests/test-policies \
	tests/test-policy-outputs \
	tests/test-policy-weights \
	tests/test-power \
	tests/test-power-loss \
	tests/test-prefetch \
	tests/test-preprocess \
	tests/test-priorities \
	tests/test-priorities-of-replaced \
	tests/test-prioritized-sampler \
	tests/test-prioritized-slices \
	tests/test-priority-kernel \
	tests/test-priority-tree \
	tests/test-processes \
	tests/test-random \
	tests/test-put-in-place \
	tests/test-random-policy \
	tests/test-record \
	tests/test-recorded-policy \
	tests/test-recurrent-policy \
	tests/test-recorded-states \
	tests/test-resume \
	tests/test-resume-orders \
	tests/test-resumed-rows \
	tests/test-run-state \
	tests/test-records \
	tests/test-replay-buffer \
	tests/test-replay-buffer-ensemble \
	tests/test-replay-buffer-golden \
	tests/test-replay-buffer-ring \
	tests/test-replay-buffer-rows \
	tests/test-reward-to-go \
	tests/test-ring \
	tests/test-rollout-from-model \
	tests/test-safetensors \
	tests/test-sample-while-writing \
	tests/test-parallel-env \
	tests/test-parallel-golden \
	tests/test-parallel-signals \
	tests/test-serial-env \
	tests/test-sampler-info \
	tests/test-sampler-state \
	tests/test-samplers \
	tests/test-schedulers \
	tests/test-sequence-sampler \
	tests/test-shape-combine \
	tests/test-shape-tensors \
	tests/test-shapes \
	tests/test-sidecar \
	tests/test-slice-batches \
	tests/test-slice-passes \
	tests/test-slice-sampler \
	tests/test-slices-while-writing \
	tests/test-spec-encode \
	tests/test-spec-golden \
	tests/test-spec-keys \
	tests/test-spec-kinds \
	tests/test-spec-shape \
	tests/test-spec-shapes-golden \
	tests/test-spec-stack \
	tests/test-spec-text \
	tests/test-spec-values \
	tests/test-specs \
	tests/test-split-trajectories \
	tests/test-standardize \
	tests/test-staleness-sampler \
	tests/test-step-mdp \
	tests/test-step-rows \
	tests/test-storages \
	tests/test-tensor \
	tests/test-tensor-convert \
	tests/test-tensor-elements \
	tests/test-tensor-views \
	tests/test-tensordict \
	tests/test-tensordict-apply \
	tests/test-tensordict-archive \
	tests/test-tensordict-batch \
	tests/test-tensordict-class \
	tests/test-tensordict-compare \
	tests/test-tensordict-index \
	tests/test-tensordict-keys \
	tests/test-tensordict-lock \
	tests/test-tensordict-memmap-faults \
	tests/test-tensordict-memmap-golden \
	tests/test-tensordict-memmap-hostile \
	tests/test-tensordict-memmap-read \
	tests/test-tensordict-memmap-values \
	tests/test-tensordict-memmap-write \
	tests/test-tensordict-names \
	tests/test-tensordict-print \
	tests/test-tensordict-update \
	tests/test-tensordict-views \
	tests/test-text-dataset \
	tests/test-text-models \
	tests/test-tokenizer \
	tests/test-trajectory-index \
	tests/test-transform-chains \
	tests/test-transform-kinds \
	tests/test-transforms \
	tests/test-transformed-env \
	tests/test-transforms-carried \
	tests/test-transforms-choices \
	tests/test-transforms-episodes \
	tests/test-transforms-golden \
	tests/test-transforms-in-envs \
	tests/test-transforms-keys \
	tests/test-transforms-of-rows \
	tests/test-transforms-stepping \
	tests/test-transforms-streams \
	tests/test-transforms-values \
	tests/test-transforms-while-writing \
	tests/test-tree \
	tests/test-tree-files \
	tests/test-tree-priorities \
	tests/test-tree-storage \
	tests/test-item-storage-index \
	tests/test-item-storage-kinds \
	tests/test-item-storage-parts \
	tests/test-item-storages \
	tests/test-without-replacement \
	tests/test-vec-norm \
	tests/test-workers \
	tests/test-writer-state \
	tests/test-writers \
	$(NULL)
if CURL
reel_tests += tests/test-http-sources
endif
if HDF5
reel_tests += tests/test-datasets tests/test-export-minari tests/test-hdf5-direct tests/test-hdf5-files \
	tests/test-hdf5-threads
endif
if BLAS
reel_tests += \
	tests/test-learn-files \
	tests/test-learn-losses \
	tests/test-learn-networks \
	tests/test-learn-plot \
	tests/test-learn-resume \
	tests/test-learn-sequences \
	tests/test-learn-values \
	$(NULL)
endif
if MUJOCO
reel_tests += \
	tests/test-mujoco-envs \
	tests/test-mujoco-file-env \
	tests/test-mujoco-golden \
	tests/test-mujoco-models \
	tests/test-mujoco-pictures \
	$(NULL)
endif

# Those that start threads: ThreadSanitizer runs them alone.
threaded_tests = \
	tests/test-async-env \
	tests/test-errands \
	tests/test-mixed-env \
	tests/test-background \
	tests/test-batch-info \
	tests/test-buffer-index \
	tests/test-collate \
	tests/test-collector-agents \
	tests/test-collector-arguments \
	tests/test-collector-background \
	tests/test-collector-batches \
	tests/test-collector-policies \
	tests/test-collectors \
	tests/test-multi-async \
	tests/test-multi-collectors \
	tests/test-multi-failures \
	tests/test-multi-golden \
	tests/test-multi-kills \
	tests/test-multi-states \
	tests/test-resume \
	tests/test-consuming \
	tests/test-cpus \
	tests/test-ensemble-files \
	tests/test-ensemble-info \
	tests/test-ensemble-prefetch \
	tests/test-gate \
	tests/test-gate-portable \
	tests/test-hindsight-while-writing \
	tests/test-memmap-storage \
	tests/test-pixel-lanes \
	tests/test-policies \
	tests/test-policy-outputs \
	tests/test-policy-weights \
	tests/test-prefetch \
	tests/test-preprocess \
	tests/test-sample-while-writing \
	tests/test-slices-while-writing \
	tests/test-tensordict-archive \
	tests/test-transforms-while-writing \
	tests/test-tree-priorities \
	tests/test-item-storage-kinds \
	tests/test-workers \
	$(NULL)
if MUJOCO
threaded_tests += tests/test-mujoco-envs tests/test-mujoco-pictures
endif

reel_test_scripts = \
	tests/test-benchmarks.sh \
	tests/test-calls.sh \
	tests/test-circles.sh \
	tests/test-error-arguments.sh \
	tests/test-faults.sh \
	tests/test-language.sh \
	tests/test-layers.sh \
	tests/test-manuals.sh \
	tests/test-collected.sh \
	tests/test-exec.sh \
	tests/test-fuzz.sh \
	tests/test-hand-over.sh \
	tests/test-recipes.sh \
	tests/test-install.sh \
	tests/test-performance.sh \
	tests/test-plugins.sh \
	tests/test-programs-buffers.sh \
	tests/test-programs-config.sh \
	tests/test-programs-datasets.sh \
	tests/test-programs-doctor.sh \
	tests/test-programs-ensembles.sh \
	tests/test-programs-learn.sh \
	tests/test-programs-plot.sh \
	tests/test-programs-learn-resume.sh \
	tests/test-programs-full.sh \
	tests/test-programs-list.sh \
	tests/test-programs-log.sh \
	tests/test-programs-moved.sh \
	tests/test-programs-place.sh \
	tests/test-programs-policies.sh \
	tests/test-programs-resume.sh \
	tests/test-programs-text.sh \
	tests/test-programs-workers.sh \
	tests/test-programs-render.sh \
	tests/test-programs.sh \
	tests/test-ranks.sh \
	tests/test-reference.sh \
	tests/test-symbols.sh \
	tests/test-t-lines.sh \
	tests/test-trajectory-checkpoints.sh \
	tests/test-window.sh \
	$(NULL)

# make check runs each of these over its seed corpus.
fuzz_targets = \
	tests/fuzz/fuzz-arff \
	tests/fuzz/fuzz-checkpoint \
	tests/fuzz/fuzz-checkpoint-values \
	tests/fuzz/fuzz-child-specs \
	tests/fuzz/fuzz-csv \
	tests/fuzz/fuzz-ensemble \
	tests/fuzz/fuzz-env-chain \
	tests/fuzz/fuzz-episodes \
	tests/fuzz/fuzz-index \
	tests/fuzz/fuzz-jpeg \
	tests/fuzz/fuzz-memmap-archive \
	tests/fuzz/fuzz-memmap-meta \
	tests/fuzz/fuzz-memmap-names \
	tests/fuzz/fuzz-npy \
	tests/fuzz/fuzz-object-text \
	tests/fuzz/fuzz-openml \
	tests/fuzz/fuzz-options \
	tests/fuzz/fuzz-pickle \
	tests/fuzz/fuzz-png \
	tests/fuzz/fuzz-resume \
	tests/fuzz/fuzz-row-specs \
	tests/fuzz/fuzz-safetensors \
	tests/fuzz/fuzz-samplers \
	tests/fuzz/fuzz-spec \
	tests/fuzz/fuzz-text-rows \
	tests/fuzz/fuzz-tokenizer \
	tests/fuzz/fuzz-trajectories \
	tests/fuzz/fuzz-tree \
	$(NULL)
if HDF5
fuzz_targets += \
	tests/fuzz/fuzz-datasets \
	tests/fuzz/fuzz-h5 \
	$(NULL)
endif
if CURL
fuzz_targets += \
	tests/fuzz/fuzz-sources \
	$(NULL)
endif
if BLAS
fuzz_targets += \
	tests/fuzz/fuzz-run-figures \
	$(NULL)
fuzz_libraries = libreel-learn.la
else
fuzz_libraries = libreel-apps.la
endif

# The common part of tests; a program gets the files that it calls, and a fuzz target the main of fuzz-corpus.c.
check_LTLIBRARIES += libreel-test.la
libreel_test_la_SOURCES = \
	tests/buffer-parts.c \
	tests/buffer-parts.h \
	tests/classic-lane.c \
	tests/classic-lane.h \
	tests/collecting.c \
	tests/collecting.h \
	tests/contract.c \
	tests/contract.h \
	tests/counted-rows.c \
	tests/counted-rows.h \
	tests/counting-env.c \
	tests/counting-env.h \
	tests/env-steps.c \
	tests/env-steps.h \
	tests/env-text.c \
	tests/env-text.h \
	tests/episode-rows.c \
	tests/episode-rows.h \
	tests/file-faults.c \
	tests/file-faults.h \
	tests/filled-tensors.c \
	tests/filled-tensors.h \
	tests/four-elements.c \
	tests/four-elements.h \
	tests/fuzz/fuzz.h \
	tests/fuzz/fuzz-corpus.c \
	tests/fuzz/fuzz-files.c \
	tests/fuzz/fuzz-files.h \
	tests/goal-rows.c \
	tests/goal-rows.h \
	tests/golden-buffer.c \
	tests/golden-buffer.h \
	tests/golden-datasets.c \
	tests/golden-datasets.h \
	tests/golden-env.c \
	tests/golden-env.h \
	tests/golden-tensor.c \
	tests/golden-tensor.h \
	tests/golden-transforms.c \
	tests/golden-transforms.h \
	tests/table-env.c \
	tests/table-env.h \
	tests/table-model.c \
	tests/table-model.h \
	tests/gymnasium-cases.c \
	tests/gymnasium-cases.h \
	tests/lane-oracle.c \
	tests/lane-oracle.h \
	tests/make-batch.c \
	tests/make-batch.h \
	tests/make-spec.c \
	tests/make-spec.h \
	tests/make-transform.c \
	tests/make-transform.h \
	tests/forked-children.c \
	tests/forked-children.h \
	tests/fragile-env.c \
	tests/fragile-env.h \
	tests/gated-env.c \
	tests/gated-env.h \
	tests/masked-env.c \
	tests/wander-env.c \
	tests/wander-env.h \
	tests/masked-env.h \
	tests/memmap-example.c \
	tests/memmap-example.h \
	tests/mock-envs.c \
	tests/mock-envs.h \
	tests/orders.c \
	tests/orders.h \
	tests/one-group.c \
	tests/one-group.h \
	tests/policy-record.c \
	tests/policy-record.h \
	tests/power-loss.c \
	tests/power-loss.h \
	tests/race.c \
	tests/race.h \
	tests/sampler-state.c \
	tests/sampler-state.h \
	tests/scratch.c \
	tests/scratch.h \
	tests/scribe-policy.c \
	tests/scribe-policy.h \
	tests/scripted-env.c \
	tests/scripted-env.h \
	tests/skipped-resets.c \
	tests/skipped-resets.h \
	tests/small-tensordicts.c \
	tests/small-tensordicts.h \
	tests/small-tensors.c \
	tests/small-tensors.h \
	tests/small-tokenizer.c \
	tests/small-tokenizer.h \
	tests/ted-rows.c \
	tests/ted-rows.h \
	tests/three-buffers.c \
	tests/three-buffers.h \
	tests/three-elements.c \
	tests/three-elements.h \
	tests/twin-env.c \
	tests/twin-env.h \
	tests/value-buffers.c \
	tests/value-buffers.h \
	$(NULL)
LDADD = libreel-test.la libreel-static.la -lm

# Allocations are counted in these alone.
tests_test_checkpoint_memory_SOURCES = tests/test-checkpoint-memory.c tests/count-allocations.c tests/count-allocations.h
tests_test_ensemble_info_SOURCES = tests/test-ensemble-info.c tests/count-allocations.c tests/count-allocations.h
tests_test_http_sources_SOURCES = tests/test-http-sources.c tests/http-hub.c tests/http-hub.h tests/http-request.c \
	tests/http-request.h tests/http-server.c tests/http-server.h
tests_test_index_memory_SOURCES = tests/test-index-memory.c tests/count-allocations.c tests/count-allocations.h
tests_test_samplers_SOURCES = tests/test-samplers.c tests/count-allocations.c tests/count-allocations.h
tests_test_tokenizer_SOURCES = tests/test-tokenizer.c tests/count-allocations.c tests/count-allocations.h
# The same test, of the gate that systems without futexes get.
tests_test_gate_portable_SOURCES = tests/test-gate.c src/core/system/gate.c src/core/system/gate.h
tests_test_gate_portable_CPPFLAGS = $(AM_CPPFLAGS) -DREEL_GATE_PORTABLE
# A program that exec runs.
tests_exec_child_SOURCES = tests/exec-child.c tests/exec-child.h tests/exec-child-model.c tests/exec-child-policy.c
tests_exec_child_LDADD = $(JANSSON_LIBS)
# Parts of programs.
tests_test_chi_square_LDADD = libreel-apps.la $(LDADD)
tests_test_column_stats_LDADD = libreel-apps.la $(LDADD)
tests_test_film_gif_LDADD = libreel-apps.la $(LDADD) $(GIF_LIBS)
tests_test_frames_LDADD = libreel-apps.la $(LDADD)
tests_test_learn_files_LDADD = libreel-learn.la $(LDADD)
tests_test_learn_losses_LDADD = libreel-learn.la $(LDADD)
tests_test_learn_networks_LDADD = libreel-learn.la $(LDADD)
tests_test_learn_plot_LDADD = libreel-learn.la $(LDADD)
tests_test_learn_resume_LDADD = libreel-learn.la $(LDADD)
tests_test_learn_sequences_LDADD = libreel-learn.la $(LDADD)
tests_fuzz_fuzz_options_LDADD = libreel-apps.la $(LDADD)
tests_fuzz_fuzz_run_figures_LDADD = libreel-learn.la $(LDADD)
tests_test_learn_values_LDADD = libreel-learn.la $(LDADD)
tests_test_option_file_LDADD = libreel-apps.la $(LDADD)
tests_test_player_LDADD = libreel-apps.la $(LDADD)
tests_test_step_rows_LDADD = libreel-apps.la $(LDADD)
# Those that call other libraries themselves.
tests_test_archive_damage_LDADD = $(LDADD) $(ZLIB_LIBS)
tests_test_npy_LDADD = $(LDADD) $(ZLIB_LIBS)
tests_test_hdf5_direct_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
tests_test_hdf5_direct_LDADD = $(LDADD) $(HDF5_LIBS)
tests_test_hdf5_files_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
tests_test_hdf5_files_LDADD = $(LDADD) $(HDF5_LIBS)
tests_test_hdf5_threads_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
tests_test_hdf5_threads_LDADD = $(LDADD) $(HDF5_LIBS)
tests_test_mujoco_file_env_CFLAGS = $(AM_CFLAGS) $(MUJOCO_CFLAGS)
tests_test_mujoco_golden_CFLAGS = $(AM_CFLAGS) $(MUJOCO_CFLAGS)
tests_test_mujoco_models_CFLAGS = $(AM_CFLAGS) $(MUJOCO_CFLAGS)
tests_test_mujoco_pictures_CFLAGS = $(AM_CFLAGS) $(MUJOCO_CFLAGS)

check_PROGRAMS += $(reel_tests) $(fuzz_targets) tests/exec-child tests/rank-tests
dist_check_SCRIPTS = $(reel_test_scripts)
TESTS = $(reel_tests) $(fuzz_targets) $(dist_check_SCRIPTS)
TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(TEST_WRAPPER)
SH_LOG_DRIVER = $(LOG_DRIVER)
AM_TESTS_ENVIRONMENT = export \
	benchmarks='$(reel_benchmarks)' \
	G_TEST_SRCDIR='$(abs_srcdir)/tests' G_TEST_BUILDDIR='$(abs_builddir)/tests' \
	G_DEBUG=fatal-criticals G_SLICE=always-malloc \
	ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1 \
	UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=suppressions='$(abs_srcdir)/tests/tsan.supp' \
	srcdir='$(abs_srcdir)' builddir='$(abs_builddir)' VERSION='$(VERSION)' MUJOCO='$(with_mujoco)' HDF5='$(with_hdf5)' MPI='$(with_mpi)' \
	CC='$(CC)' CXX='$(CXX)' MAKE='$(MAKE)' configured_prefix='$(prefix)' \
	BLAS='$(with_blas)' CBLAS_LIBS='$(CBLAS_LIBS)' \
	SANITIZER_CFLAGS='$(SANITIZER_CFLAGS)' TEST_WRAPPER='$(TEST_WRAPPER)';

check-threaded:
	$(MAKE) check check_LTLIBRARIES=libreel-test.la check_PROGRAMS='$(threaded_tests) tests/exec-child' TESTS='$(threaded_tests)'

# Plants the faults of tests/data/faults.txt, all or those that FAULTS names; HACKING.md describes them.
FAULTS =
check-faults: all $(check_LTLIBRARIES) $(reel_tests) tests/exec-child
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/plant-faults.sh $(FAULTS)

# Looks for more with libFuzzer; HACKING.md says how to configure for it. A run may take longer than
# the machine stands still for a measurement. Inputs are as long as the longest seed: a limit below it
# would cut seeds, such as files of HDF5.
FUZZ = memmap-meta
FUZZ_SECONDS = 60
FUZZ_OPTIONS = -max_total_time=$(FUZZ_SECONDS) -timeout=300 -detect_leaks=0 -entropic=0 -use_counters=0
fuzz-engine-$(FUZZ): tests/fuzz/fuzz-$(FUZZ).c $(BUILT_SOURCES) $(fuzz_libraries) libreel-test.la libreel-static.la
	$(LIBTOOL) --tag=CC --mode=link $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(AM_CFLAGS) \
	  $(CFLAGS) -fsanitize=fuzzer $(srcdir)/tests/fuzz/fuzz-$(FUZZ).c \
	  $(fuzz_libraries) libreel-test.la libreel-static.la -lm -o $@
fuzz: fuzz-engine-$(FUZZ)
	$(MKDIR_P) fuzz-$(FUZZ)
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	./fuzz-engine-$(FUZZ) $(FUZZ_OPTIONS) fuzz-$(FUZZ) $(srcdir)/tests/fuzz/corpus/$(FUZZ)
.PHONY: fuzz

# After a change of the public functions that is meant.
update-symbols: libreel.la
	$(AM_V_GEN)nm -D --defined-only .libs/libreel.so | sed 's/.* //' | grep -vE '^(__|_edata$$|_end$$|mangle_path$$)' | \
	  LC_ALL=C sort >$(srcdir)/tests/data/symbols.txt

# Lines that the tests reached, file by file: configure --enable-coverage, make check, make coverage.
coverage:
	@gcov -n $$(find src -name '*.gcda') 2>/dev/null | \
	  awk -F"'" '/^File/ { file = $$2 } \
	    /^Lines/ && file ~ /src\// { sub (/.*src\//, "src/", file); print $$0, file; file = "" }' | \
	  sed 's/Lines executed:\([0-9.]*\)% of \([0-9]*\)/\1 \2/' | sort -k3 | \
	  awk '{ printf "%6.1f %% of %5d lines  %s\n", $$1, $$2, $$3 }'

.PHONY: check-faults check-threaded coverage update-symbols

EXTRA_DIST += \
	tests/data \
	tests/fuzz/README.md \
	tests/fuzz/corpus \
	tests/collected.py \
	tests/hand-over.py \
	tests/plant-fault.awk \
	tests/plant-faults.sh \
	tests/recipes.py \
	tests/programs.sh \
	tests/tap.sh \
	tests/tools \
	tests/trajectory-checkpoints.py \
	tests/tsan.supp \
	$(NULL)
