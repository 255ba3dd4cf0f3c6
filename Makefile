# The commands of daily work. Everything is built by CMake into build/<preset>.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif

configure = cmake --preset $(1)
build = cmake --build --preset $(1) --parallel $(JOBS)
test = ctest --preset $(1) --parallel $(JOBS)

.PHONY: all
all:
	$(call configure,release)
	$(call build,release)
