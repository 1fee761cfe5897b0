# What one does with this repository. `make help` lists it; `make check` is what
# CI runs.

# One static binary: nothing here needs a C compiler, except the race detector.
export CGO_ENABLED = 0

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -X main.version=$(VERSION)
SOURCES  = cmd internal tools

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/heed, a static binary
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/heed ./cmd/heed

.PHONY: run
run: ## start the service on an embedded database in ./data
	mkdir -p data
	$(GO) run ./cmd/heed serve --db sqlite:data/heed.db

.PHONY: test
test: test-setup ## install what tests need where permitted, then run them all
	$(GO) test ./...

.PHONY: test-setup
test-setup:
	@scripts/test-setup

.PHONY: race
race: ## run the tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race ./...

.PHONY: check
check: fmt-check vet staticcheck verify arch test ## everything CI checks, cheapest first

.PHONY: fmt-check
fmt-check:
	@echo "gofmt"
	@wrong=$$(gofmt -l $(SOURCES)); test -z "$$wrong" || \
		{ echo "not formatted ('make fmt' does it):"; echo "$$wrong"; exit 1; }

.PHONY: vet
vet:
	$(GO) vet ./...

.PHONY: staticcheck
staticcheck:
	$(GO) tool staticcheck ./...

.PHONY: verify
verify: ## fail when generated files or go.mod are not what they are generated from
	@scripts/verify

.PHONY: arch
arch:
	$(GO) test -count=1 ./internal/arch

.PHONY: bench
bench: ## measure against a bare net/http handler, then run the benchmarks
	$(GO) run ./tools/bench
	$(GO) run ./tools/benchhooks
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: generate
generate: ## write the generated files anew
	@scripts/generate

.PHONY: vendor-js
vendor-js: ## take the scripts of others from npm anew (needs npm)
	@scripts/vendor-js

.PHONY: fmt
fmt: ## format the source
	gofmt -w $(SOURCES)
