package web

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"heed/internal/i18n"
)

//go:embed messages
var messages embed.FS

// Messages are the texts of the components, to be loaded together with those of
// a face: i18n.Load(web.Messages(), own).
func Messages() fs.FS {
	f, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err)
	}
	return f
}

type localeKey struct{}

// WithLocale returns a context in which components speak a language.
func WithLocale(ctx context.Context, l *i18n.Locale) context.Context {
	return context.WithValue(ctx, localeKey{}, l)
}

// English is what components speak where nobody has chosen.
var english = i18n.MustLoad(Messages()).Locale("en")

// Locale is the language of a context.
func Locale(ctx context.Context) *i18n.Locale {
	if l, ok := ctx.Value(localeKey{}).(*i18n.Locale); ok {
		return l
	}
	return english
}

// T is the text of a key in the language of the context.
func T(ctx context.Context, key string, args ...any) string { return Locale(ctx).T(key, args...) }

// N is the text of a key in the plural form for n.
func N(ctx context.Context, key string, n int, args ...any) string {
	return Locale(ctx).N(key, n, args...)
}

// Number writes a number as the language does.
func Number(ctx context.Context, n int) string { return Locale(ctx).Number(n) }

// Date writes a day as the language does.
func Date(ctx context.Context, t time.Time) string { return Locale(ctx).Date(t) }

// ShortDate writes a day in little room.
func ShortDate(ctx context.Context, t time.Time) string { return Locale(ctx).ShortDate(t) }

type nowKey struct{}

// WithNow returns a context in which it is t. One page has one moment.
func WithNow(ctx context.Context, t time.Time) context.Context {
	return context.WithValue(ctx, nowKey{}, t)
}

// Now is the moment of a context.
func Now(ctx context.Context) time.Time {
	if t, ok := ctx.Value(nowKey{}).(time.Time); ok {
		return t
	}
	return time.Now()
}

// Ago writes how long ago t was.
func Ago(ctx context.Context, t time.Time) string { return Locale(ctx).Ago(t, Now(ctx)) }

// ISO writes t for the datetime attribute of a time element.
func ISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }
