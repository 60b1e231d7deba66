/** Descriptions of strangers as HTML: harmless, and made in a time that grows with their length alone. */

import { describe, expect, it } from 'vitest'
import { operatorProse, sanitizedProse } from '../../src/portal/parts/prose.ts'

/** Each repeated to 20,000 characters is an attack on some parser of Markdown or HTML. */
const shapes = [
  '***a_',
  '**a ',
  '_a ',
  '*a_ ',
  '*a **a ',
  '_ *',
  'a**b',
  '**a*b',
  '*_',
  '***',
  '__',
  '~~a',
  '~',

  '`a',
  '``',
  '`` ` ',
  '```\n',
  '~~~\n',
  '[',
  '[a](',
  '![',
  '[a][',
  '](',
  '[[]',
  '[](<',
  '[]("',
  '[a](b "',

  '[a]: b\n',
  '[^a]',
  '[^a]:',
  '[x]',
  ']]',
  '<',
  '<a ',
  '<a\n',
  '<b',
  '<b>',
  '</b>',
  '<div>',
  '<!--',
  '<!',

  '<?',
  '<![CDATA[',
  '<a href="',
  '&',
  '&#',
  '&amp',
  '\\',
  '> ',
  '> a\n',
  '>>',
  '- ',
  '- a\n\n',
  '  - a\n',

  '1. ',
  '# ',
  '* * ',
  '    a\n',
  '\t',
  '\n\n',
  'a\n===\n',
  '|a',
  '|-',
  '| a | b\n',
  '(',
  '()',
  '"a" ',

  'http://a.',
  'www.a.b/',
  'a@b.',
  'http://a/(',
  '//a.b ',
  'mailto:a@b ',
  '\u0000',
  '\u00a0',
  '\u202e',
]

describe('a description', () => {
  // Parsers whose time grows with the square of the text need minutes for some of these; processor time, so that load says nothing.
  it.each(shapes)('of %j without end costs less than a second of processor time', async (shape) => {
    const text = shape.repeat(Math.ceil(20_000 / shape.length))
    const before = process.threadCpuUsage()
    const markup = String(await sanitizedProse(text))
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1000)
    expect(markup).not.toMatch(/<(?:script|style|img|iframe|div|h\d)/i)
  })

  it('keeps paragraphs, lists, emphasis and links of Markdown and HTML, and nothing else', async () => {
    const text =
      '# Levels\n\n**Bold** and *weak*, see https://a.example/x\n\n- one\n- two\n\n<i>old</i> <script>x</script>'
    expect(String(await sanitizedProse(text)).replaceAll(/\s+/g, ' ')).toBe(
      '<strong>Levels</strong> <p><strong>Bold</strong> and <em>weak</em>, see ' +
        '<a href="https://a.example/x" rel="nofollow ugc noopener">https://a.example/x</a></p> ' +
        '<ul> <li>one</li> <li>two</li> </ul> <p><em>old</em> </p> ',
    )
  })

  it('beyond 20,000 characters goes on as plain text, and ends after 50,000', async () => {
    const markup = String(await sanitizedProse('*a* '.repeat(20_000)))
    expect(markup.match(/<em>/g)).toHaveLength(5000)
    expect(markup).toMatch(/<p>\*a\* /)
    expect(markup.length).toBeLessThan(120_000)
  })

  it('of an operator may have headings and tables', async () => {
    expect(String(await operatorProse('## Title\n\n|a|b|\n|-|-|\n|1|2|'))).toContain(
      '<h2>Title</h2>',
    )
  })
})
