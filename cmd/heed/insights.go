package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"

	"heed/internal/app"
	"heed/internal/config"
	"heed/internal/feedback"
	"heed/internal/insights"
	"heed/internal/insights/provider"
	"heed/internal/worker"
)

type insightsCmd struct {
	Run insightsRunCmd `cmd:"" help:"Find the themes of a site now and publish them."`
	Try insightsTryCmd `cmd:"" help:"Find the themes in the lines of a file, without a database."`

	Engine insightsEngineCmd `cmd:"" hidden:"" help:"Compute for a server that started this process."`
}

type insightsEngineCmd struct{}

// Run answers the questions of the server.
func (insightsEngineCmd) Run(ctx context.Context, std stdio) error {
	return worker.ServeEngine(ctx, os.Stdin, std.out)
}

// engines returns what starts this program again to compute, nil if it cannot
// be found: then the server computes itself.
func engines(log *slog.Logger) func() worker.Engine {
	self, err := os.Executable()
	if err != nil {
		log.Warn("insights compute in the server: the program does not know its own path", "err", err)
		return nil
	}
	return func() worker.Engine {
		return &worker.Child{Command: func() *exec.Cmd {
			cmd := exec.Command(self, "insights", "engine")
			// One processor at most, little memory, and nothing of what this
			// process is told: no key, no address of a database.
			cmd.Env = []string{"GOMAXPROCS=1", "GOGC=50"}
			return cmd
		}}
	}
}

// insightsOf wires what searches for themes, with the provider if one is set.
func insightsOf(o *opened, ai config.AI, log *slog.Logger) (*worker.Insights, error) {
	n := &worker.Insights{App: o.app, MonthlyUnits: ai.AIMonthlyUnits, Log: log}
	client, err := providerOf(ai)
	if err != nil {
		return nil, err
	}
	o.app.SetAI(app.AI{Provider: client != nil, MonthlyUnits: ai.AIMonthlyUnits})
	if client == nil {
		return n, nil
	}
	n.Provider = client
	log.Info("insights use an AI provider: posts are sent to it", "url", ai.AIURL, "vectors", client.Embeds(), "labels", client.Names())
	return n, nil
}

// providerOf is the AI provider of the settings, nil for none.
func providerOf(ai config.AI) (*provider.Client, error) {
	switch {
	case ai.AIMonthlyUnits < 0:
		return nil, errors.New("HEED_AI_MONTHLY_UNITS: want a number from 0")
	case ai.AIURL == "" && (ai.AIKey != "" || ai.AIEmbedModel != "" || ai.AIChatModel != ""):
		return nil, errors.New("HEED_AI_URL is not set, but other settings of the AI provider are: set it, or unset them")
	case ai.AIURL == "":
		return nil, nil
	}
	return provider.New(provider.Config{
		URL: ai.AIURL, Key: provider.Secret(ai.AIKey), EmbedModel: ai.AIEmbedModel, ChatModel: ai.AIChatModel,
	})
}

// requestInsights has the server find the themes of a site as soon as it runs.
func requestInsights(ctx context.Context, o *opened, key, site string) error {
	actor, err := o.app.Authenticate(ctx, key, site)
	if err != nil {
		return err
	}
	_, err = o.app.Write(ctx, actor, app.Target{Site: site}, app.Once{}, func(tx *app.Tx) (app.Response, error) {
		_, err := tx.RequestInsights(ctx)
		return app.Response{}, err
	})
	return err
}

type insightsRunCmd struct {
	settings
	config.AI
	asJSON
	Site string `required:"" env:"HEED_SITE" placeholder:"ID" help:"The site."`
}

// Run searches for the themes of a site and publishes them.
func (c *insightsRunCmd) Run(ctx context.Context, std stdio) error {
	return c.with(ctx, func(o *opened) error {
		log := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
		n, err := insightsOf(o, c.AI, log)
		if err != nil {
			return err
		}
		p := showProgress(std, "Insights:")
		run, err := n.Run(ctx, c.Site, worker.RunOptions{Asked: true, Progress: func(stage string, done, total int) {
			p.what = "Insights: " + stages[stage]
			p.at(done, total)
		}})
		switch {
		case errors.Is(err, app.ErrQuota):
			p.end()
			err = &feedback.Error{
				Msg:  "The AI quota of this month is used up; the themes published before stay.",
				Hint: "Raise HEED_AI_MONTHLY_UNITS, or wait for the next month.",
			}
		case err != nil:
			return err
		default:
			p.end()
		}
		status := feedback.InsightDone
		if err != nil {
			status = feedback.InsightPaused
		}
		return errors.Join(err, c.print(std.out, map[string]any{
			"siteId": run.SiteID, "runId": run.ID, "status": status, "posts": run.Posts, "themes": run.Themes, "full": run.Full,
		}, fmt.Sprintf("%d themes in %d posts.", run.Themes, run.Posts)))
	})
}

// stages are those of a run, for people.
var stages = map[string]string{
	"read": "posts read", "embed": "posts understood", "cluster": "clusters", "label": "themes named", "publish": "published",
}

type insightsTryCmd struct {
	File string `arg:"" help:"A file with one text a line; - is standard input."`
}

// triedLine is what is found out about a line.
type triedLine struct {
	Line      int     `json:"line"`
	Theme     *int    `json:"theme"`
	Label     *string `json:"label"`
	Sentiment *string `json:"sentiment"`
}

// Run prints the theme of each line of a file. It touches no database.
func (c *insightsTryCmd) Run(ctx context.Context, std stdio) error {
	lines, err := c.lines()
	if err != nil {
		return err
	}
	posts := make([]insights.Post, 0, len(lines))
	p := showProgress(std, "Lines understood:")
	const batch = 64
	for i := 0; i < len(lines); i += batch {
		p.at(i, len(lines))
		texts := lines[i:min(i+batch, len(lines))]
		vectors, err := insights.Embed(ctx, texts)
		if err != nil {
			return err
		}
		for k, t := range texts {
			posts = append(posts, insights.Post{Key: int64(i + k), Text: t, Vector: vectors[k]})
		}
	}
	p.end()
	var ids int64
	found, err := insights.Find(ctx, posts, insights.State{}, func() int64 { ids++; return ids })
	if err != nil {
		return err
	}
	out := bufio.NewWriter(std.out)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i, of := range found.Of {
		line := triedLine{Line: i + 1}
		if of >= 0 {
			t := found.Themes[of]
			n, sentiment := of+1, string(t.Sentiment)
			line.Theme, line.Label = &n, &t.Label
			if t.Sentiment != insights.Unclear {
				line.Sentiment = &sentiment
			}
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// lines returns the lines of the file, as they are: an empty one is a text that
// fits no theme.
func (c *insightsTryCmd) lines() ([]string, error) {
	var data []byte
	var err error
	if c.File == "-" {
		data, err = io.ReadAll(os.Stdin)
	} else {
		data, err = os.ReadFile(c.File)
	}
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(strings.ToValidUTF8(string(data), "\uFFFD"), "\n")
	if text == "" && len(data) == 0 {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines, nil
}
