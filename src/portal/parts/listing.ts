/** A text with numbered lines, some of which are marked. */

import { html, type HtmlMarkup } from '../html.ts'

/** Lines at most, and characters of each. */
const [mostLines, longestLine] = [2000, 1000]

/** `label` says what the text is; lines are counted from 1 and can be led to by `#l{line}`. */
export function listing(label: string, text: string, hits: readonly unknown[]): HtmlMarkup {
  const rows = text.trimEnd().split('\n').slice(0, mostLines)
  const lines = rows.map((row, at) => {
    const style = hits.includes(at + 1) && html` class="hit"`
    return html`<span id="l${at + 1}"${style}>${row.slice(0, longestLine)}</span>`
  })
  return html`<pre class="listing close" tabindex="0" aria-label="${label}"><code>${lines}</code></pre>`
}
