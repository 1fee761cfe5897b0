// Command insightsmeasure prints how well the themes of package insights agree with
// the classes people gave: normalised mutual information, adjusted Rand index,
// pair precision and the share of texts left outside. A text left outside
// counts as a theme of its own. Labels are compared with the names of the classes.
//
// Each file has a text, a tab and its class per line. A class that begins with
// "~" says that the text belongs nowhere; of such texts the output also tells
// how many were left outside.
//
//	go run ./tools/insightsmeasure [-cache DIR] [-show N] FILE...
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"heed/internal/insights"
)

func main() {
	cache := flag.String("cache", "", "keep vectors in this `directory` between runs")
	show := flag.Int("show", 0, "print this many themes as well")
	flag.Parse()
	for _, name := range flag.Args() {
		if err := measure(name, *cache, *show); err != nil {
			fmt.Fprintln(os.Stderr, "insightsmeasure:", err)
			os.Exit(1)
		}
	}
}

func measure(name, cache string, show int) error {
	texts, classes, names, stray, err := read(name)
	if err != nil {
		return err
	}
	ctx := context.Background()
	vectors, err := embed(ctx, texts, cache)
	if err != nil {
		return err
	}
	posts := make([]insights.Post, len(texts))
	for i, t := range texts {
		posts[i] = insights.Post{Key: int64(i), Text: t, Vector: vectors[i]}
	}
	var ids int64
	found, err := insights.Find(ctx, posts, insights.State{}, func() int64 { ids++; return ids })
	if err != nil {
		return err
	}
	s := evaluate(found.Of, classes)
	fmt.Printf("%-16s %5d texts  themes %d/%d  NMI %.3f  ARI %.3f  precision %.3f  noise %.3f  | inside NMI %.3f ARI %.3f\n",
		filepath.Base(name), len(texts), s.themes, s.classes, s.nmi, s.ari, s.precision, s.noise, s.nmiIn, s.ariIn)
	if len(stray) > 0 {
		out := 0
		for i := range stray {
			if found.Of[i] < 0 {
				out++
			}
		}
		fmt.Printf("  of %d texts that belong nowhere %d were left outside\n", len(stray), out)
	}
	if share, themes := labelled(found.Themes, classes, names); themes > 0 {
		fmt.Printf("  labels of the %d themes that are mostly of one class have %.3f of the words of its name\n", themes, share)
	}
	for i, t := range found.Themes[:min(show, len(found.Themes))] {
		fmt.Printf("  %3d. %-40s %4d %-8s %s\n", i+1, t.Label, len(t.Members), t.Sentiment, t.Summary)
	}
	return nil
}

func read(name string) (texts []string, classes []int, names []string, stray map[int]bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	defer f.Close()
	numbers := make(map[string]int)
	stray = make(map[int]bool)
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		i := strings.LastIndexByte(in.Text(), '\t')
		if i < 0 {
			return nil, nil, nil, nil, fmt.Errorf("%s:%d: no tab", name, len(texts)+1)
		}
		text, class := in.Text()[:i], in.Text()[i+1:]
		if strings.HasPrefix(class, "~") {
			class = fmt.Sprint("~", len(texts)) // unlike any other
			stray[len(texts)] = true
		}
		if _, ok := numbers[class]; !ok {
			numbers[class] = len(numbers)
			names = append(names, class)
		}
		texts, classes = append(texts, text), append(classes, numbers[class])
	}
	return texts, classes, names, stray, in.Err()
}

// embed returns the vectors of texts, from the cache where it has them.
func embed(ctx context.Context, texts []string, cache string) ([]insights.Vector, error) {
	if cache == "" {
		return insights.Embed(ctx, texts)
	}
	sum := sha256.Sum256([]byte(insights.ModelID + "\n" + strings.Join(texts, "\n")))
	file := filepath.Join(cache, fmt.Sprintf("%x.vectors", sum[:8]))
	if data, err := os.ReadFile(file); err == nil && len(texts) > 0 {
		out := make([]insights.Vector, len(texts))
		for i := range out {
			n := int(data[0])<<8 | int(data[1])
			if err := out[i].UnmarshalBinary(data[2 : 2+n]); err != nil {
				return nil, err
			}
			data = data[2+n:]
		}
		return out, nil
	}
	out, err := insights.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, v := range out {
		b, err := v.MarshalBinary()
		if err != nil {
			return nil, err
		}
		data = append(append(data, byte(len(b)>>8), byte(len(b))), b...)
	}
	return out, os.WriteFile(file, data, 0o600)
}
