# The commands of daily work. CMake builds everything, into build/<preset>.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

# Ninja where there is one, which `setup` may just have installed.
generator = $${CMAKE_GENERATOR:-$$(command -v ninja >/dev/null && echo Ninja || echo "Unix Makefiles")}
configure = CMAKE_GENERATOR="$(generator)" cmake --preset $(1)
build = cmake --build --preset $(1) --parallel $(JOBS)
timed = sh cmake/timed.sh "$${TERN_PHASES:-/dev/null}"
run_tests = cmake/run_tests.sh $(1) $(JOBS)
sources = git ls-files '*.h' '*.cpp' '*.cu' '*.cuh'

.NOTPARALLEL:
FUZZ_SECONDS ?= 60
.PHONY: all vae build-release build-asan build-tsan build-times header-times \
  test test-release test-asan test-tsan test-full test-all differential conformance golden fuzz mutants gpu gpu-bundle bench bench-compare \
  generate ops-page unity-groups docs check check-all check-setup format install package package-check clean setup

# The library and the programs.
all: setup
	$(call configure,release)
	$(call build,release) --target tern_programs

# Trains a variational autoencoder on drawn digits; pictures and losses in out/vae.
vae: setup
	$(call configure,release)
	$(call build,release) --target vae
	build/release/bin/vae --out out/vae

# Every test, then the quick ones under the address and undefined behaviour sanitizers.
test: test-release test-asan

# The long tiers too: full counts in release, and the thread sanitizer.
test-all: test-full test-asan test-tsan conformance
test-full: export TERN_TEST_FULL = 1
test-full: test-release

test-release test-asan test-tsan: test-%: build-%
	$(timed) "tests $*" $(call run_tests,$*)

build-release build-asan build-tsan: build-%: setup
	$(call configure,$*)
	$(timed) "build $*" $(call build,$*)
build-asan: build-release  # whose test programs it runs

# Sequence layers with random shapes for each option, and PROGRAMS random programs, run by PyTorch and by tern, on the CPU
# and on simulated devices.
PROGRAMS ?= 100000
differential: setup
	$(call configure,release)
	$(call build,release) --target differential tern_sim tern_sim_cuda
	$(call configure,asan)
	$(call build,asan) --target tern tern_sim
	tests/differential/run.sh build/release build/asan --count $(PROGRAMS) --jobs $(JOBS)

# PyTorch's numbers in the records of ops, and recorded programs for new forms of calls. RECORDS names
# some records, tests/ops/cases/unary/exp.json; without it all are updated.
RECORDS ?=
golden: setup
	python=$$(tests/torch_python.sh) && $$python tests/ops/golden.py $(RECORDS)
	python3 -B tools/generate
	$(call configure,release)
	$(call build,release) --target differential tern_sim
	python=$$(tests/torch_python.sh) && $$python tests/differential/record.py build/release/bin/differential
	python=$$(tests/torch_python.sh) && $$python tests/differential/edges.py build/release/bin/differential

# Programs written for libtorch, each compiled alone; the page docs/conformance.md. LIBTORCH names a folder with libtorch's
# include and lib, whose outputs are compared and recorded.
LIBTORCH ?=
conformance: setup
	$(call configure,release)
	$(call build,release) --target tern
	tests/conformance/run.py tests/conformance/programs build/release --report docs/conformance.md \
	  $(if $(LIBTORCH),--libtorch $(LIBTORCH) --update)

# Each reader of foreign input against libFuzzer, FUZZ_SECONDS long; needs clang.
fuzz: setup
	$(call configure,fuzz)
	$(call build,fuzz) --target tern_fuzz
	tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

# N mistakes, planted one at a time at random places of FILES (the library): which does no test notice?
N ?= 20
SEED ?= 1
mutants: setup
	N=$(N) SEED=$(SEED) JOBS=$(JOBS) tests/mutants/mutants.py $(FILES)

# What a machine with a GPU runs, in build/gpu-bundle.tar.xz: the release build with a plugin for GPU_ARCHITECTURES alone.
GPU_ARCHITECTURES ?= 90-real
gpu-bundle: setup
	$(call configure,release)
	$(call build,release) --target tern_gpu_programs
	$(call configure,gpu) -DTERN_CUDA_ARCHITECTURES="$(GPU_ARCHITECTURES)"
	$(call build,gpu) --target tern_cuda
	cmake/gpu/bundle.sh build/release build/gpu/lib/libtern_cuda.so build/gpu-bundle.tar.xz

# ... and run on the GPU of this machine. Begin with out/gpu/summary.md.
gpu: gpu-bundle
	cmake/verify_gpu.sh build/gpu-bundle.tar.xz out/gpu

# tern beside libtorch; in about 9 minutes, compiling aside. PROGRAMS, THREADS and ROUNDS as in run.py.
bench: all
	benchmarks/run.py build/release

# Two builds of tern beside each other: make bench-compare OLD=build/before NEW=build/release
bench-compare:
	@test -n "$(OLD)" -a -n "$(NEW)" || { echo "usage: make bench-compare OLD=build-dir NEW=build-dir" >&2; exit 2; }
	benchmarks/compare.py "$(OLD)" "$(NEW)"

# What compiling costs: CPU-seconds in all, per folder and of the slowest units. TARGETS="vae" builds only these.
PRESET ?= release
build-times: setup
	CMAKE_GENERATOR="$(generator)" cmake/build_times.sh $(PRESET) $(JOBS) $(TARGETS)

# Chooses by CPU-seconds which files are one unit: cmake/unity_groups.txt.
unity-groups: build-times
	cmake/unity_groups.py build/build-times

# What including each header costs a program: HEADERS="tern/nn/nn.h" measures only these.
header-times: setup
	$(call configure,release)
	cmake/header_times.sh release $(HEADERS)

# The committed files that are made of the declarations of ops, with Python: C++ and the pages of ops and options. A test says which
# of them are stale.
generate:
	python3 -B tools/generate

# What the pages of ops say of the records, the dtypes of each op and pictures, and the pages.
ops-page: setup
	$(call configure,release)
	$(call build,release) --target ops_test tern_sim
	TERN_WRITE_PAGES=1 build/release/bin/ops_test --gtest_filter='OpsPage.*'
	python3 -B tools/generate

# The API reference, build/docs/index.html. Anything public without documentation is an error.
docs:
	doxygen --version >/dev/null 2>&1 && python3 --version >/dev/null 2>&1 || cmake/setup.sh doxygen python3
	rm -rf build/docs && mkdir -p build/docs
	headers=$$(cmake/public_headers.sh) && \
	  python3 -B tools/generate/doxygen.py build/docs/filtered $$headers *.md $$(find docs -name '*.md') && \
	  { cat docs/api/Doxyfile; echo INPUT += $$headers; } | doxygen - 2>build/docs/warnings.txt; status=$$?; \
	  sort -u build/docs/warnings.txt | sed 's|^$(CURDIR)/||' >&2; exit $$status

# The laws that no test program can check: over what changed, and over everything.
check check-all: check-setup
	cmake/check.sh $(if $(filter check-all,$@),full,quick) $(JOBS)

check-setup: setup
	cmake/setup.sh clang-14 clang-format-14 clang-tidy-14

format: check-setup
	$(sources) | xargs clang-format-14 -i

install: all
	cmake --install build/release --prefix $(PREFIX)

# Debian packages of the library, its headers and the tools, in build/packages.
package: all
	cmake/setup.sh dpkg-dev file
	rm -rf build/packages
	cpack --config build/release/CPackConfig.cmake -B build/packages
	rm -rf build/packages/_CPack_Packages

# Installs and uses the packages in a fresh system, which debootstrap makes of MIRROR; as root.
package-check: package
	tests/install/chroot.sh build/packages build/package-check

clean:
	rm -rf build out

setup:
	cmake/setup.sh
