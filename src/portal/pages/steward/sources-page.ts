/** Sources of a portal with their last results, one pipe with its runs, all runs, and removals that wait for consent. */

import type { Fields } from '../../../text/json.ts'
import type { PageContext } from '../../context.ts'
import { html, type HtmlContent, joined } from '../../html.ts'
import type { PageContent } from '../../page.ts'
import {
  askScheduler,
  causeOf,
  countNames,
  countsOf,
  isReal,
  mayRead,
  mostRuns,
  numberOr,
  ownForm,
  runButtons,
  runState,
  stateOf,
  stewardPage,
  visibleRuns,
  waitingRuns,
} from './steward-parts.ts'
import { pageSection } from '../../parts/blocks.ts'
import { type Column, dataTable } from '../../parts/table.ts'
import { fieldsAt, listAt, listed, memberFields, textAt, textOr } from '../../record.ts'

type Source = { readonly pipe: Fields; readonly name: string; readonly run: Fields | undefined }

/** Pipes with their last runs, worst first. Throws `ServiceRefusal` and `Failure`. */
export async function sourcesPage(context: PageContext): Promise<PageContent> {
  const { t } = context
  const [pipes, runs, triggers] = await Promise.all([
    askScheduler(context, '/pipes'),
    visibleRuns(context),
    askScheduler(context, '/triggers'),
  ])
  const sources = listed(pipes)
    .map(memberFields)
    .flatMap((pipe): readonly Source[] => {
      const name = textAt(pipe, 'name') ?? textAt(pipe, 'file') ?? ''
      if (!mayRead(context, `/pipes/${name}`, pipe['catalogue'])) return []
      return [{ pipe, name, run: runs.find((run) => isReal(run) && run['pipe'] === name) }]
    })
    .toSorted((a, b) => stateOf(context, a.run).rank - stateOf(context, b.run).rank)
  const rows = sources.map((source) => sourceRow(context, source, memberFields(triggers)))
  const columns = [
    { label: t('source') },
    { label: t('last-result') },
    ...shortCounts.map((key) => ({ label: t(`count-${key}`), isNumber: true })),
    { label: t('started') },
    { label: t('next-start') },
    { label: t('actions'), isHidden: true },
  ]
  return stewardPage(context, {
    title: t('steward-sources'),
    tab: 'sources',
    waiting: waitingRuns(runs).length,
    body:
      rows.length === 0
        ? html`<p class="close">${t('no-pipes')}</p>`
        : html`<p class="soft">${summary(context, sources)}</p>${dataTable({ label: t('steward-sources'), columns, rows })}`,
  })
}

const shortCounts = ['offered', 'created', 'updated', 'failed'] as const

/** `5 pipes: Failed 2, Waiting for you 1.` */
function summary(context: PageContext, sources: readonly Source[]): string {
  const { t, formats, language } = context
  const states = Map.groupBy(sources, ({ run }) => stateOf(context, run).label)
  const parts = [...states].map(([label, own]) => `${label} ${formats.number(own.length)}`)
  const all = new Intl.ListFormat(language, { type: 'unit' }).format(parts)
  return `${t('n-sources', { count: sources.length })}: ${all}`
}

function sourceRow(
  context: PageContext,
  { pipe, name, run }: Source,
  triggers: Fields,
): readonly HtmlContent[] {
  const { t, formats, pathTo } = context
  const next = listed(triggers[name])
    .map((one) => textAt(one, 'next'))
    .find((one) => one !== undefined)
  const unread = listAt(pipe, 'problems')[0]
  const cause = causeOf(context, run?.['problem']) ?? textAt(unread, 'detail')
  const self = pathTo('harvest', 'pipes', name)
  return [
    html`<a href="${self}">${textAt(pipe, 'title') ?? name}</a><br><span class="soft small">${joined([name, textAt(pipe, 'catalogue')], ' · ')}</span>`,
    html`${runState(context, run)}${cause !== undefined && html`<br><span class="small soft"><bdi>${cause}</bdi></span>`}`,
    ...shortCounts.map((key) => formats.number(numberOr(countsOf(run)[key]))),
    run ? runLink(context, run) : '–',
    formats.moment(next) ?? html`<span class="soft">${t('by-hand')}</span>`,
    runButtons(context, name, t('run')),
  ]
}

const runLink = (context: PageContext, run: Fields): HtmlContent =>
  html`<a href="${context.pathTo('harvest', 'runs', textAt(run, 'id') ?? '')}">${context.formats.moment(run['startTime'] ?? run['created'])}</a>`

const pipeLink = (context: PageContext, run: Fields): HtmlContent => {
  const name = textAt(run, 'pipe') ?? ''
  return html`<a href="${context.pathTo('harvest', 'pipes', name)}">${name}</a>`
}

/** Runs with all their counts. */
function runTable(context: PageContext, runs: readonly Fields[], isOfAll: boolean): HtmlContent {
  const { t, formats } = context
  const columns: readonly Column[] = [
    { label: t('started') },
    ...(isOfAll ? [{ label: t('source') }] : []),
    { label: t('last-result') },
    ...countNames.map((key) => ({ label: t(`count-${key}`), isNumber: true })),
  ]
  const rows = runs.map((run) => [
    runLink(context, run),
    ...(isOfAll ? [pipeLink(context, run)] : []),
    runState(context, run),
    ...countNames.map((key) => formats.number(numberOr(countsOf(run)[key]))),
  ])
  return rows.length === 0
    ? html`<p class="close">${t('no-runs')}</p>`
    : dataTable({ label: t('runs'), columns, rows })
}

/** The newest runs of all pipes. Throws `ServiceRefusal` and `Failure`. */
export async function runsPage(context: PageContext): Promise<PageContent> {
  const runs = await visibleRuns(context)
  return stewardPage(context, {
    title: context.t('steward-runs'),
    tab: 'runs',
    waiting: waitingRuns(runs).length,
    body: runTable(context, runs, true),
  })
}

/** Runs whose removals wait for consent. Throws `ServiceRefusal` and `Failure`. */
export async function waitingPage(context: PageContext): Promise<PageContent> {
  const { t, formats, pathTo } = context
  const waiting = waitingRuns(await visibleRuns(context))
  const rows = waiting.map((run) => {
    const id = textAt(run, 'id') ?? ''
    const count = numberOr(countsOf(run)['held'])
    return [
      pipeLink(context, run),
      formats.moment(run['startTime']),
      html`<a href="${pathTo('harvest', 'runs', id, 'held')}">${t('held-title', { count })}</a>`,
    ]
  })
  const columns = [{ label: t('source') }, { label: t('started') }, { label: t('count-held') }]
  return stewardPage(context, {
    title: t('steward-waiting'),
    tab: 'waiting',
    waiting: waiting.length,
    body:
      rows.length === 0
        ? html`<p class="close">${t('nothing-waits')}</p>`
        : dataTable({ label: t('steward-waiting'), columns, rows }),
  })
}

/** Runs of one pipe, its triggers and its document, which has no secrets. Throws `ServiceRefusal` and `Failure`. */
export async function pipePage(
  context: PageContext,
  name: string,
): Promise<PageContent | undefined> {
  const { t } = context
  const path = encodeURIComponent(name)
  const [pipe, all, runs, triggers] = await Promise.all([
    askScheduler(context, `/pipes/${path}`),
    askScheduler(context, '/pipes'),
    askScheduler(context, `/runs?pipe=${path}&limit=${mostRuns}`),
    askScheduler(context, `/triggers/${path}`).catch(() => []),
  ])
  const about = listed(all)
    .map(memberFields)
    .find((one) => one['name'] === name)
  if (!mayRead(context, `/pipes/${name}`, about?.['catalogue'])) return undefined
  return stewardPage(context, {
    title: textAt(about, 'title') ?? name,
    tab: 'sources',
    pipe: name,
    actions: runButtons(context, name, t('run')),
    body: html`
      ${pageSection('runs', t('runs'), runTable(context, listed(runs).map(memberFields), false))}
      ${pageSection('triggers', t('triggers'), triggerList(context, name, listed(triggers)))}
      ${pageSection('document', t('pipe-document'), html`<pre tabindex="0" aria-label="${t('pipe-document')}"><code>${JSON.stringify(pipe, undefined, 2)}</code></pre>`)}`,
  })
}

/** Triggers of a pipe, and for those who may, a form that sets the one of the portal. */
function triggerList(
  context: PageContext,
  pipe: string,
  triggers: readonly unknown[],
): HtmlContent {
  const { t, formats, pathTo } = context
  const self = pathTo('harvest', 'pipes', pipe)
  const items = triggers.map(memberFields).map((one) => {
    const id = textAt(one, 'id') ?? ''
    const { unit, value } = fieldsAt(one, 'interval')
    const times = textAt(one, 'cron') ?? joined([textOr(value), textOr(unit)], ' ')
    const next = formats.moment(one['next']) ?? textAt(one, 'status')
    const end = mayChange(context, pipe, id) && triggerForm(context, self, id)
    return html`<li class="row"><code>${id}</code> ${times} ${t('next-start')}: ${next} ${end}</li>`
  })
  const list = items.length === 0 ? html`<p>${t('by-hand')}</p>` : html`<ul>${items}</ul>`
  return html`${list} ${mayChange(context, pipe, ownTrigger) && scheduleForm(context, self)}`
}

/** Id of the trigger that the portal sets. */
const ownTrigger = 'portal'

const mayChange = ({ steward }: PageContext, pipe: string, trigger: string): boolean =>
  steward?.may({ method: 'PUT', path: `/pipes/${pipe}/triggers/${trigger}` }) === true

const triggerForm = (context: PageContext, path: string, id: string): HtmlContent =>
  ownForm(
    context,
    path,
    html`<input type="hidden" name="trigger" value="${id}">
    <button class="button small quiet" name="do" value="unschedule">${context.t('remove-trigger')}<span class="vh"> ${id}</span></button>`,
    'row',
  )

function scheduleForm(context: PageContext, path: string): HtmlContent {
  const { t } = context
  const units = ['HOUR', 'DAY', 'WEEK', 'MONTH'].map(
    (unit) =>
      html`<option value="${unit}"${unit === 'DAY' && html` selected`}>${t(`every-${unit}`)}</option>`,
  )
  return ownForm(
    context,
    path,
    html`<div class="field"><label for="unit">${t('start-every')}</label><select id="unit" name="unit">${units}</select></div>
    <div class="field"><label for="next">${t('first-start')}</label><input type="datetime-local" id="next" name="next"></div>
    <button class="button" name="do" value="schedule">${t('set-trigger')}</button>`,
    'row close',
  )
}
