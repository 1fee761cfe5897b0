// Package feedbacktest gives tests what they need to be about one thing: empty
// databases of both kinds and valid nouns to put into them. Only tests import
// it, and it judges nothing: a helper here sets up or fails, the test decides.
package feedbacktest
