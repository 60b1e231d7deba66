/** Sources of a portal with their last results, one pipe with its runs, all runs, and removals that wait for consent. */

import type { Fields } from '../../../text/json.ts'
import type { StewardContext } from '../../context.ts'
import { html, type HtmlContent, icon, joined } from '../../html.ts'
import type { PageContent } from '../../page.ts'
import { runChart } from './run-chart.ts'
import { countNames, harvestRun, type HarvestRun, visibleRuns, waitingRuns } from './runs.ts'
import { ownForm, runButtons, stewardPage } from './steward-parts.ts'
import { pageSection } from '../../parts/blocks.ts'
import { textTable } from '../../parts/table.ts'
import { fieldsAt, listed, memberFields, textAt, textOr } from '../../record.ts'

/** A pipe with its last run; a file that holds no pipe has no name. */
type Source = { readonly pipe: Fields; readonly name: string; readonly run: HarvestRun }

/** Pipes with their last runs, worst first. Rejects with `ServiceRefusal` and `Failure`. */
export async function sourcesPage(context: StewardContext): Promise<PageContent> {
  const { t, pathTo, steward, ask } = context
  const [pipes, runs, triggers] = await Promise.all([
    ask('scheduler', '/pipes'),
    visibleRuns(context),
    ask('scheduler', '/triggers'),
  ])
  const sources = listed(pipes)
    .map((pipe): Source => {
      const name = textAt(pipe, 'name') ?? ''
      const none = harvestRun(context, { status: name === '' ? 'unreadable' : 'never' })
      const run = runs.find((one) => one.isReal && one.pipe === name) ?? none
      return { pipe: memberFields(pipe), name, run }
    })
    .filter(({ pipe, name }) => steward.mayRead(`/pipes/${name}`, pipe))
    .toSorted((a, b) => a.run.rank - b.run.rank)
  const counts = shortCounts.map((name) => `count-${name}`)
  const heads = ['source', 'last-result', ...counts, 'started', 'next-start', 'actions']
  const rows = sources.map((source) => sourceRow(context, source, memberFields(triggers)))
  const feed = steward.feed && pathTo('harvest', 'failures', `${steward.feed}.atom`)
  return stewardPage(context, {
    tab: 'sources',
    actions:
      feed && html`<a class="button" href="${feed}">${icon('rss')} ${t('failures-feed')}</a>`,
    body:
      rows.length > 0
        ? html`${summary(context, sources)} ${textTable(context, 'steward-sources', heads, rows)}`
        : html`<p class="close">${t('no-pipes')}</p>`,
  })
}

const shortCounts = ['offered', 'created', 'updated', 'failed']

/** `5 pipes: Failed 2, Waiting for you 1.` */
function summary(context: StewardContext, sources: readonly Source[]): HtmlContent {
  const { t, formats, language } = context
  const states = Map.groupBy(sources, ({ run }) => run.label)
  const parts = [...states].map(([label, own]) => `${label} ${formats.number(own.length)}`)
  const all = new Intl.ListFormat(language, { type: 'unit' }).format(parts)
  return html`<p class="soft">${t('n-sources', { count: sources.length })}: ${all}</p>`
}

function sourceRow(
  context: StewardContext,
  { pipe, name, run }: Source,
  triggers: Fields,
): readonly HtmlContent[] {
  const { t, formats, pathTo } = context
  const next = listed(triggers[name]).flatMap((one) => textAt(one, 'next') ?? [])[0]
  const cause = run.cause ?? textAt(pipe, 'problems.0.detail')
  const title = textAt(pipe, 'title') ?? name
  const about = [name || textAt(pipe, 'file'), textAt(pipe, 'catalogue')]
  return [
    html`${name !== '' && html`<a href="${pathTo('harvest', 'pipes', name)}">${title}</a><br>`}
      <span class="soft small">${joined(about, ' · ')}</span>`,
    html`${run.mark}
      ${cause !== undefined && html`<br><span class="small soft"><bdi>${cause}</bdi></span>`}`,
    ...shortCounts.map(run.count),
    run.begun ? run.link : '–',
    formats.moment(next) ?? html`<span class="soft">${t('by-hand')}</span>`,
    name !== '' && runButtons(context, name, t('run')),
  ]
}

/** Runs with all their counts; those that wait lead to what they would remove. */
function runTable(
  context: StewardContext,
  runs: readonly HarvestRun[],
  empty = 'no-runs',
): HtmlContent {
  const { t, pathTo } = context
  if (runs.length === 0) return html`<p class="close">${t(empty)}</p>`
  const heads = ['started', 'source', 'last-result', ...countNames.map((name) => `count-${name}`)]
  const rows = runs.map((run) => [
    run.link,
    html`<a href="${pathTo('harvest', 'pipes', run.pipe)}">${run.pipe}</a>`,
    run.isHeld ? html`<a href="${run.path}/held">${run.mark}</a>` : run.mark,
    ...countNames.map(run.count),
  ])
  return textTable(context, 'runs', heads, rows)
}

/** The newest runs of all pipes. Rejects with `ServiceRefusal` and `Failure`. */
export async function runsPage(context: StewardContext): Promise<PageContent> {
  return stewardPage(context, { tab: 'runs', body: runTable(context, await visibleRuns(context)) })
}

/** Runs whose removals wait for consent. Rejects with `ServiceRefusal` and `Failure`. */
export async function waitingPage(context: StewardContext): Promise<PageContent> {
  const waiting = waitingRuns(await visibleRuns(context))
  return stewardPage(context, {
    tab: 'waiting',
    body: runTable(context, waiting, 'nothing-waits'),
  })
}

/** Runs of one pipe, its triggers and its document, which has no secrets. Rejects with `ServiceRefusal` and `Failure`. */
export async function pipePage(
  context: StewardContext,
  name: string,
): Promise<PageContent | undefined> {
  const { t, ask, steward } = context
  const path = encodeURIComponent(name)
  const [pipe, all, runs, triggers] = await Promise.all([
    ask('scheduler', `/pipes/${path}`),
    ask('scheduler', '/pipes'),
    visibleRuns(context, `&pipe=${path}`),
    ask('scheduler', `/triggers/${path}`).catch(() => []),
  ])
  const about = listed(all).find((one) => textAt(one, 'name') === name)
  if (!steward.mayRead(`/pipes/${name}`, about)) return undefined
  const text = JSON.stringify(pipe, undefined, 2)
  const code = html`<pre tabindex="0" aria-label="${t('pipe-document')}"><code>${text}</code></pre>`
  return stewardPage(context, {
    title: textAt(about, 'title') ?? name,
    tab: 'sources',
    pipe: name,
    actions: runButtons(context, name, t('run')),
    body: html`
      ${pageSection('runs', t('runs'), [runChart(context, runs), runTable(context, runs)])}
      ${pageSection('triggers', t('triggers'), triggerForms(context, name, listed(triggers)))}
      ${pageSection('document', t('pipe-document'), code)}`,
  })
}

/** Id of the trigger that the portal sets. */
export const ownTrigger = 'portal'

/** Triggers of a pipe, and for those who may, forms that remove them and set that of the portal. */
function triggerForms(context: StewardContext, pipe: string, triggers: readonly unknown[]) {
  const { t, formats, pathTo, steward } = context
  const form = (id: string, body: HtmlContent) =>
    steward.may({ method: 'PUT', path: `/pipes/${pipe}/triggers/${id}` }) &&
    ownForm(context, pathTo('harvest', 'pipes', pipe), body)
  const items = triggers.map((one) => {
    const id = textAt(one, 'id') ?? ''
    const { unit, value } = fieldsAt(one, 'interval')
    const times = textAt(one, 'cron') ?? joined([textOr(value), textOr(unit)], ' ')
    const next = formats.moment(textAt(one, 'next')) ?? textAt(one, 'status')
    const end = html`<input type="hidden" name="trigger" value="${id}">
      <button class="button small quiet" name="do" value="unschedule">${t('remove-trigger')}<span class="vh"> ${id}</span></button>`
    return html`<li class="row"><code>${id}</code> ${times} ${t('next-start')}: ${next} ${form(id, end)}</li>`
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
  return html`${list} ${form(ownTrigger, fields)}`
}
