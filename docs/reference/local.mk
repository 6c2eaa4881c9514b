# The reference of the public functions, from the comments of the headers, in docs/api/html. Any warning fails, but for those that
# speak of other languages' bindings, and those of the text that Arrow asks for.
reference_packages = gi-docgen gobject-introspection libgirepository1.0-dev
reference_unheeded = register as boxed type|Constructor return type mismatch|/arrow\.h:|'(ArrowSchema|ArrowArray)'
docs: libreel.la
	@command -v g-ir-scanner >/dev/null && command -v gi-docgen >/dev/null && pkg-config --exists gobject-introspection-1.0 || { \
	  echo 'cannot make docs: some tools are missing; install them by: apt-get install $(reference_packages)' >&2; exit 1; }
	@rm -rf docs/api && $(MKDIR_P) docs/api
	$(AM_V_GEN)CC='$(CC)' GI_SCANNER_DISABLE_CACHE=1 g-ir-scanner --warn-all --namespace=Reel --nsversion=0 \
	  --identifier-prefix=Reel --symbol-prefix=reel --include=Gio-2.0 --pkg=gio-2.0 --pkg-export=reel --c-include=reel/reel.h \
	  --sources-top-dirs='$(abs_top_srcdir)/src' -I'$(abs_top_srcdir)/src' --no-libtool -L.libs --library=reel \
	  -o docs/api/headers.gir $$(for header in $(HEADERS); do echo '$(abs_top_srcdir)'/$$header; done) \
	  >docs/api/scan.log 2>&1 || { cat docs/api/scan.log >&2; exit 1; }
	@! grep Warning: docs/api/scan.log | grep -vE "$(reference_unheeded)" >&2
	@python3 $(srcdir)/docs/reference/pages.py '$(srcdir)' docs/reference/reel.toml docs/api/headers.gir docs/api/pages
	@gi-docgen check -q -C docs/reference/reel.toml docs/api/pages/Reel-0.gir
	@gi-docgen generate -q --fatal-warnings -C docs/reference/reel.toml --content-dir=docs/api/pages --no-namespace-dir \
	  --output-dir=docs/api/html docs/api/pages/Reel-0.gir
	@cp $(srcdir)/docs/pictures/* docs/api/html
	@echo 'td > a > code { white-space: nowrap } .toc a { overflow-wrap: anywhere }' >>docs/api/html/style.css
	@sed -i -e '/<em>Website</d' -e '/<em>Source</d' docs/api/html/index.html
	@echo 'the reference begins in docs/api/html/index.html'

clean-local:
	rm -rf docs/api
.PHONY: docs
