// Package web is the toolkit that the HTML faces are built from: a document
// with its head, components, forms, one stylesheet, icons, charts, markdown,
// languages, and the headers that keep a page safe. It knows nouns only where a
// component shows one (a problem of an input); it reads no database and decides
// nothing. Faces own their pages and routes.
//
// # Laws
//
// Pages are rendered on the server and every action works as a link or a form.
// htmx and app.js make it quicker. The policy of every page allows scripts and
// styles of our own only and nothing inline, so:
//
//   - no style attribute and no style element: a colour that people choose is a
//     class ([ColorClass]) of a sheet ([Palette]);
//   - an address that people enter goes through [Link], a path to return to
//     through [Local];
//   - templ.Raw stands in this package's markdown.go and nowhere else.
//
// A test of this package reads every template of the project for these.
//
// # A page
//
//	ctx = web.WithLocale(web.WithNow(r.Context(), now), locale)
//	err := web.Render(w, r.WithContext(ctx), 200, page(data))
//
//	templ page(d data) {
//		@web.Document(web.Doc{Title: d.Title, Theme: d.Theme}) {
//			<main id="main">...</main>
//		}
//	}
//
// Mount [Assets] at /assets/ and wrap the face in [Secure].
//
// # Components
//
//   - [Document] around a page; [Icon] by name (see sprite in document.templ)
//   - [Pill] for a status, [Tag], [Avatar], [VoteButton]
//   - [Input] with a [Field] (its problems come from [ProblemsOf]), [Checkbox], [FieldError]
//   - [Empty] and [EmptyPage], [Note], [More] (the next page), [Tabs], [Segments], [Dialog], [ThemeButton]
//   - [LineChart], [SplitChart], [Sparkline]
//   - [Markdown] for what people write, [Excerpt] for its beginning in plain words
//   - [Toast] to say something after an htmx answer
//
// Classes for plain elements, in app.css: card, pad, stack, row, btn (pri,
// quiet, danger, icon, block), link, input, select, seg, table.t, line (a
// timeline), menu (a details element), note, badge, prose, sr (for screen
// readers only). What app.js listens to is listed at its top.
//
// # Texts
//
// Components speak through [T] and [N]; a face loads its own messages together
// with [Messages] and puts the reader's locale into the context.
package web
