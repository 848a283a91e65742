require ["fileinto","imap4flags","body","vacation","relational","date","variables"];
# rule:[Invoices]
if allof (header :contains "subject" ["invoice","rechnung"], not header :contains "from" "@acme.example")
{
	addflag "\\Flagged";
	fileinto "Archive";
	stop;
}
# rule:[Mailing lists]
if anyof (exists "List-Id", header :is "Precedence" "bulk")
{
	fileinto "Lists";
	stop;
}
# rule:[Notifications]
if address :localpart :is "from" ["no-reply","notifications"]
{
	setflag "\\Seen";
	fileinto "Archive";
	stop;
}
# rule:[Away]
vacation :days 7 :subject "Away" "I am back on Monday.";
