/** Page of a pipe: its runs as a chart and a table, its triggers, its document. */

import type { StewardContext } from '../../context.ts'
import { html, type HtmlContent, joinHtml } from '../../html.ts'
import type { PageContent } from '../../layout.ts'
import { pageSection } from '../../parts/blocks.ts'
import { listed, textAt, textOr } from '../../../text/json.ts'
import { fieldsAt } from '../../record.ts'
import { runTable } from './lists.ts'
import { type HarvestRun, pipesByName, visibleRuns } from './runs.ts'
import { sessionForm, runButtons, stewardPage } from './steward-parts.ts'

/**
 * Page of a pipe; `undefined` where the session may not read it. The scheduler answers the document without secrets. Rejects with
 * `Failure`.
 */
export async function pipePage(
  context: StewardContext,
  name: string,
): Promise<PageContent | undefined> {
  const { t, ask, steward } = context
  const path = encodeURIComponent(name)
  const [pipe, pipes, runs, triggers] = await Promise.all([
    ask('scheduler', `/pipes/${path}`),
    pipesByName(context),
    visibleRuns(context, `&pipe=${path}`),
    ask('scheduler', `/triggers/${path}`).catch(() => []),
  ])
  const about = pipes.get(name)
  if (!steward.mayRead(`/pipes/${name}`, about)) return undefined
  const text = JSON.stringify(pipe, undefined, 2)
  const code = html`<pre tabindex="0" aria-label="${t('pipe-document')}"><code>${text}</code></pre>`
  const title = textAt(about, 'title') ?? name
  return stewardPage(context, {
    title,
    tab: 'sources',
    pipe: { pipe: name, title },
    actions: runButtons(context, name),
    body: html`
      ${pageSection('runs', t('runs'), [runChart(context, runs), runTable(context, runs, 'runs', true)])}
      ${pageSection('triggers', t('triggers'), triggerForms(context, name, listed(triggers)))}
      ${pageSection('document', t('pipe-document'), code)}`,
  })
}

/** Id of the trigger that the form of the portal sets. */
export const portalTrigger = 'portal'

/** List of the triggers of a pipe, with forms that remove those that the session may remove and set that of the portal. */
function triggerForms(context: StewardContext, pipe: string, triggers: readonly unknown[]) {
  const { t, formats, pathTo, steward } = context
  const form = (method: 'PUT' | 'DELETE', id: string, body: HtmlContent) =>
    steward.may({ method, path: `/pipes/${pipe}/triggers/${id}` }) &&
    sessionForm(context, pathTo('harvest', 'pipes', pipe), body)
  const items = triggers.map((trigger) => {
    const id = textAt(trigger, 'id') ?? ''
    const { unit, value } = fieldsAt(trigger, 'interval')
    const times = textAt(trigger, 'cron') ?? joinHtml([textOr(value), textOr(unit)], ' ')
    const next = formats.moment(textAt(trigger, 'next')) ?? textAt(trigger, 'status')
    const end = html`<input type="hidden" name="trigger" value="${id}">
      <button class="button small quiet" name="do" value="unschedule">${t('remove-trigger')}<span class="vh"> ${id}</span></button>`
    return html`<li class="row"><code>${id}</code> ${times} ${t('next-start')}: ${next} ${form('DELETE', id, end)}</li>`
  })
  const units = ['HOUR', 'DAY', 'WEEK', 'MONTH'].map((unit) => {
    const chosen = unit === 'DAY' && html` selected`
    return html`<option value="${unit}"${chosen}>${t(`every-${unit}`)}</option>`
  })
  const fields = html`<div class="field"><label for="unit">${t('start-every')}</label>
      <select id="unit" name="unit">${units}</select></div>
    <div class="field"><label for="next">${t('first-start')}</label>
      <input type="datetime-local" id="next" name="next"></div>
    <button class="button" name="do" value="schedule">${t('set-trigger')}</button>`
  const list = items.length > 0 ? html`<ul>${items}</ul>` : html`<p>${t('by-hand')}</p>`
  return html`${list} ${form('PUT', portalTrigger, fields)}`
}

/** Segments of a bar from bottom to top; `chart-{key}` is the message of each. */
const parts = [
  { key: 'good', counts: ['created', 'updated', 'unchanged'] },
  { key: 'bad', counts: ['failed'] },
  { key: 'warn', counts: ['removed', 'held'] },
]
const [mostBars, step, width, height] = [30, 14, 10, 80]

const sumOf = (run: HarvestRun | undefined, counted: typeof parts): number =>
  counted.flatMap(({ counts }) => counts).reduce((sum, name) => sum + (run?.count(name) ?? 0), 0)

/** Bar chart of the newest runs without dry runs, the newest on the right; its text alternative describes the newest one. */
function runChart({ t }: StewardContext, runs: readonly HarvestRun[]): HtmlContent {
  const latest = runs.filter(({ isDryRun }) => !isDryRun).slice(0, mostBars)
  const most = Math.max(0, ...latest.map((run) => sumOf(run, parts)))
  if (most === 0) return false
  const scaled = (count: number) => Math.round((count / most) * height * 10) / 10
  const bars = latest.map((run, at) =>
    parts.map((part, level) => {
      const [size, top] = [[part], parts.slice(0, level + 1)].map((group) =>
        scaled(sumOf(run, group)),
      )
      const x = (latest.length - 1 - at) * step
      return html`<rect class="${part.key}" x="${x}" y="${height - (top ?? 0)}" width="${width}" height="${size}" />`
    }),
  )
  const last = parts.map((part) => [part.key, sumOf(latest[0], [part])] as const)
  const label = t('runs-chart', { count: latest.length, most, ...Object.fromEntries(last) })
  return html`<figure class="runs close">
    <svg viewBox="0 0 ${latest.length * step} ${height}" role="img" aria-label="${label}">${bars}</svg>
    <figcaption>${parts.map(({ key }) => html`<span class="${key}">${t(`chart-${key}`)}</span>`)}</figcaption></figure>`
}
