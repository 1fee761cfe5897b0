package main

import (
	"context"
	"io"

	"heed/internal/app"
	"heed/internal/config"
	"heed/internal/mail"
	"heed/internal/worker"
)

type mailCmd struct {
	Try mailTryCmd `cmd:"" help:"Send a test message and show the whole conversation with the server."`
}

type mailTryCmd struct {
	config.Mail
	To string `required:"" env:"HEED_TO" placeholder:"ADDRESS" help:"Who gets the message."`
}

// Run sends a test message.
func (c *mailTryCmd) Run(ctx context.Context, std stdio) error {
	return worker.TryMail(ctx, std.out, c.SMTPURL, c.MailFrom, c.To)
}

// mailServer lets the operator try the settings of mail in the dashboard.
func (c *serveCmd) mailServer(smtp *mail.Sender) app.MailServer {
	return app.MailServer{Name: smtp.Server(), Try: func(ctx context.Context, w io.Writer, to string) error {
		return worker.TryMail(ctx, w, c.SMTPURL, c.MailFrom, to)
	}}
}
