// Package arch has nothing but tests: they read the source tree and fail where
// it leaves the house rules that no compiler or linter checks. Each rule is a
// function over a file system, so that a second test can show it a tree that
// breaks the rule. To change a rule, change its data here, in a commit that
// says why; there is no way to exempt one line.
package arch
