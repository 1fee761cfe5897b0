package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// goFile is one parsed Go file of the tree.
type goFile struct {
	path  string // slash-separated, from the root of the module
	lines int
	fset  *token.FileSet
	ast   *ast.File
}

// pkg is the package the rules speak of: the first folder below internal, or
// cmd. A folder below that, such as generated code, is part of it.
func (f goFile) pkg() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path.Dir(f.path), "internal/"), "/")
	return first
}

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// at is where something stands, for a message.
func (f goFile) at(p token.Pos) string { return f.fset.Position(p).String() }

func (f goFile) imports() []string {
	var paths []string
	for _, spec := range f.ast.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, `"`))
	}
	return paths
}

// mentions returns where the file mentions one of the names of an imported
// package. The package is known by its own name: the house renames no import of
// the standard library.
func (f goFile) mentions(pkg string, names ...string) []token.Pos {
	var found []token.Pos
	ast.Inspect(f.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == pkg && slices.Contains(names, sel.Sel.Name) {
			found = append(found, sel.Pos())
		}
		return true
	})
	return found
}

// walk calls fn for every file that belongs to the project: not for what git
// keeps, nor for what a build or a run leaves behind.
func walk(tree fs.FS, fn func(name string, text []byte) error) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "bin", "dist", "data", "tmp", "node_modules"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		if name == ".git" || !d.Type().IsRegular() || strings.Contains(path.Base(name), ".db") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return fn(name, text)
	})
}

func goFiles(tree fs.FS) ([]goFile, error) {
	var files []goFile
	err := walk(tree, func(name string, text []byte) error {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			return nil
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, goFile{name, bytes.Count(text, []byte("\n")), fset, parsed})
		return nil
	})
	return files, err
}

// root is the module, two directories up from this package.
func root(t *testing.T) fs.FS {
	t.Helper()
	if _, err := os.Stat("../../go.mod"); err != nil {
		t.Fatal(err)
	}
	return os.DirFS("../..")
}
