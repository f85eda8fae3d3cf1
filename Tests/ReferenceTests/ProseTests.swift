import Configuration
import Reference
import Testing

@Suite struct ProseTests {
  @Test func proseBecomesAPage() {
    let source = """
      For readers of the source.

      ## DESCRIPTION
      First `code --x` and
      *name*.

      Second \\ paragraph; 2 * 3.
      ## FILES
      `/etc/a`
      :   What it
          means.

      - one
      - two

          example --here
          .begins
      """
    let program = Program(
      name: "a-b", summary: "Does it.", version: "1",
      shape: .single(Subcommand("run", summary: "", options: [])),
      exitStatuses: [])
    let page = ManualPage(section: 1, date: "2026-01-02", prose: Prose(source)).text(of: program)
    for part in [
      ".TH \"A\\-B\" 1 \"2026-01-02\"", ".SH \"NAME\"\na\\-b \\- does it\n",
      ".SH \"DESCRIPTION\"\nFirst \\fBcode \\-\\-x\\fR and \\fIname\\fR.\n.PP\nSecond \\e paragraph; 2 * 3.\n",
      ".TP\n\\fB/etc/a\\fR\nWhat it means.\n", ".IP \\(bu 2\none\n.IP \\(bu 2\ntwo\n",
      ".nf\nexample \\-\\-here\n\\&.begins\n.fi\n",
    ] { #expect(page.contains(part), "\(part)") }
    #expect(!page.contains("readers of the source"))
  }
}
