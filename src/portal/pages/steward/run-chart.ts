/** What the newest runs of a pipe counted, as bars. */

import type { PageContext } from '../../context.ts'
import { html, type HtmlContent } from '../../html.ts'
import type { HarvestRun } from './runs.ts'

/** Parts of a bar from its foot to its top; `chart-{key}` names them. */
const parts = [
  { key: 'good', counts: ['created', 'updated', 'unchanged'] },
  { key: 'bad', counts: ['failed'] },
  { key: 'warn', counts: ['removed', 'held'] },
]
const [mostBars, step, width, height] = [30, 14, 10, 80]

const sumOf = (run: HarvestRun | undefined, counted: typeof parts): number =>
  counted.flatMap(({ counts }) => counts).reduce((sum, name) => sum + (run?.count(name) ?? 0), 0)

/** Real runs, the newest at the end; its label says the last one in words, and a table has the others. */
export function runChart({ t }: PageContext, runs: readonly HarvestRun[]): HtmlContent {
  const shown = runs.filter(({ isReal }) => isReal).slice(0, mostBars)
  const most = Math.max(0, ...shown.map((run) => sumOf(run, parts)))
  if (most === 0) return false
  const scaled = (count: number) => Math.round((count / most) * height * 10) / 10
  const bars = shown.map((run, at) =>
    parts.map((part, level) => {
      const [own, all] = [[part], parts.slice(0, level + 1)].map((one) => scaled(sumOf(run, one)))
      const x = (mostBars - 1 - at) * step
      return html`<rect class="${part.key}" x="${x}" y="${height - (all ?? 0)}" width="${width}" height="${own}" />`
    }),
  )
  const last = parts.map((part) => [part.key, sumOf(shown[0], [part])] as const)
  const label = t('runs-chart', { count: shown.length, most, ...Object.fromEntries(last) })
  return html`<figure class="runs close">
    <svg viewBox="0 0 ${mostBars * step} ${height}" role="img" aria-label="${label}">${bars}</svg>
    <figcaption>${parts.map(({ key }) => html`<span class="${key}">${t(`chart-${key}`)}</span>`)}</figcaption></figure>`
}
