// Package insights finds the themes in a pile of feedback: texts in, themes
// out. It knows no database, no network and no clock, and imports nothing of
// Heed; a worker brings the posts and publishes the result.
//
// A text becomes a point in three ways at once: what it means (a sentence
// model in the binary, or vectors the caller brings), what words it uses, and
// how they are spelled, the last two fitted to the posts at hand and so at
// home in any language. Points are joined to their nearest neighbours, and a
// theme is a part of that graph held together more tightly than chance would
// have it; how many there are is for the posts to say, and a post that fits
// nowhere stays outside.
//
// The law of the package is that the same posts give the same themes, on any
// processor. Similarities and everything decided by them are integers; the
// floating point before them is free of fused operations and of functions
// whose last bit is a matter of taste.
package insights
