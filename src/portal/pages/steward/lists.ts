/** Lists for stewards: sources with their last results, runs, held removals, deleted records. */

import { type Fields, listed, memberFields, textAt, valueAt } from '../../../text/json.ts'
import type { StewardContext } from '../../context.ts'
import { html, type HtmlContent, icon, joinHtml } from '../../html.ts'
import type { PageContent } from '../../layout.ts'
import { textTable } from '../../parts/table.ts'
import { listAt, numberAt } from '../../record.ts'
import { countNames, harvestRun, type HarvestRun, visibleRuns, waitingRuns } from './runs.ts'
import { actionForm, runButtons, stewardPage } from './steward-parts.ts'

/**
 * Pipe with the last of the newest visible runs that is no dry run, else with one in the state `never`. A pipe file that cannot
 * be read has no name and the state `unreadable`.
 */
type Source = {
  readonly pipe: Fields
  readonly name: string
  readonly run: HarvestRun
  readonly catalogue: HtmlContent
  /** Time of the next start as the scheduler answers it; `undefined` where no trigger has one. */
  readonly next: unknown
}

/** Page of the pipes that the session may read, with their last runs, those that need attention first. Rejects with `Failure`. */
export async function sourcesPage(context: StewardContext): Promise<PageContent> {
  const { t, pathTo, steward, ask } = context
  const [pipes, runs, triggers, catalogueName] = await Promise.all([
    ask('scheduler', '/pipes'),
    visibleRuns(context),
    ask('scheduler', '/triggers'),
    catalogueNames(context),
  ])
  const sources = listed(pipes)
    .map((pipe): Source => {
      const name = textAt(pipe, 'name') ?? ''
      const none = harvestRun(context, { status: name === '' ? 'unreadable' : 'never' })
      const run = runs.find((run) => !run.isDryRun && run.pipe === name) ?? none
      const next = listAt(triggers, name).find((trigger) => trigger['next'] !== undefined)?.['next']
      const catalogue = catalogueName(textAt(pipe, 'catalogue'))
      return { pipe: memberFields(pipe), name, run, catalogue, next }
    })
    .filter(({ pipe, name }) => steward.mayRead(`/pipes/${name}`, pipe))
    .toSorted((a, b) => a.run.rank - b.run.rank)
  const counts = shortCounts.map((name) => `count-${name}`)
  const heads = ['source', 'last-result', ...counts, 'started', 'next-start', 'actions']
  const rows = sources.map((source) => sourceRow(context, source))
  const feed = steward.feed && pathTo('harvest', 'failures', `${steward.feed}.atom`)
  return stewardPage(context, {
    tab: 'sources',
    actions:
      feed && html`<a class="button" href="${feed}">${icon('rss')} ${t('failures-feed')}</a>`,
    body: [
      sources.length > 0 && summary(context, sources),
      textTable(context, 'steward-sources', heads, rows),
    ],
  })
}

const shortCounts = ['offered', 'created', 'updated', 'failed']

/** Numbers of sources by state: `5 sources · Failed: 2 · Waiting for you: 1`. */
function summary(context: StewardContext, sources: readonly Source[]): HtmlContent {
  const { t, formats } = context
  const states = Map.groupBy(sources, ({ run }) => run.label)
  const parts = [...states].map(([label, own]) => `${label}: ${formats.number(own.length)}`)
  return html`<p class="soft">${joinHtml([t('n-sources', { count: sources.length }), ...parts], ' · ')}</p>`
}

function sourceRow(
  context: StewardContext,
  { pipe, name, run, catalogue, next }: Source,
): readonly HtmlContent[] {
  const { t, formats, pathTo } = context
  const [problem] = listAt(pipe, 'problems')
  const line = numberAt(problem, 'line')
  const reason = joinHtml([run.cause ?? textAt(problem, 'detail'), run.detail], ': ')
  const cause = joinHtml([reason, !run.cause && line > 0 && t('line-n', { line })], ' ')
  const title = textAt(pipe, 'title') ?? name
  const about = [name || textAt(pipe, 'file'), catalogue]
  return [
    html`${name !== '' && html`<a href="${pathTo('harvest', 'pipes', name)}">${title}</a><br>`}
      <span class="soft small">${joinHtml(about, ' · ')}</span>`,
    html`${run.badge}
      ${cause !== '' && html`<br><span class="small soft"><bdi>${cause}</bdi></span>`}`,
    ...shortCounts.map(run.count),
    run.startDate ? run.link : '–',
    formats.moment(next) ?? html`<span class="soft nowrap">${t('by-hand')}</span>`,
    name !== '' && runButtons(context, name),
  ]
}

/**
 * Table of runs with all their counts, without the column of the pipe where `isOfOne`. The state of a run with held removals
 * links to them.
 */
export function runTable(
  context: StewardContext,
  runs: readonly HarvestRun[],
  label = 'runs',
  isOfOne = false,
) {
  const { pathTo } = context
  const counts = countNames.map((name) => `count-${name}`)
  const heads = ['started', ...(isOfOne ? [] : ['source']), 'last-result', ...counts]
  const rows = runs.map((run) => [
    run.link,
    ...(isOfOne ? [] : [html`<a href="${pathTo('harvest', 'pipes', run.pipe)}">${run.title}</a>`]),
    run.hasHeldRemovals ? html`<a href="${run.path}/held">${run.badge}</a>` : run.badge,
    ...countNames.map(run.count),
  ])
  return textTable(context, label, heads, rows)
}

/** Page of the newest runs of all pipes that the session may read. Rejects with `Failure`. */
export async function runsPage(context: StewardContext): Promise<PageContent> {
  return stewardPage(context, { tab: 'runs', body: runTable(context, await visibleRuns(context)) })
}

/** Page of the runs whose removals wait for a decision. Rejects with `Failure`. */
export async function waitingPage(context: StewardContext): Promise<PageContent> {
  const waiting = waitingRuns(await visibleRuns(context))
  return stewardPage(context, {
    tab: 'waiting',
    body: runTable(context, waiting, 'steward-waiting'),
  })
}

const mostCatalogues = 500

/** Makes the function that returns the title of a catalogue by id; the id where the search has no title in time. */
async function catalogueNames({ optional, find, titleOf }: StewardContext) {
  const includes = ['id', 'title']
  const result = await optional(find({ filters: 'catalogue', limit: mostCatalogues, includes }))
  const names = new Map(result?.records.map((record) => [textAt(record, 'id'), titleOf(record)]))
  return (id: string | undefined): HtmlContent => names.get(id) ?? id
}

const mostDeleted = 200
const collections: Readonly<Record<string, string>> = {
  dataset: 'datasets',
  catalogue: 'catalogues',
}

/** Path of a record in the repository. The id of a resource includes its type: `gauges/rhine`. */
export const storedPath = (kind: string, id: string): string =>
  [collections[kind] ?? 'customresources', ...id.split('/')]
    .map((step) => `/${encodeURIComponent(step)}`)
    .join('')

/**
 * Those of the `mostDeleted` newest deleted records that the session may restore, each with its request. Rejects with `Failure`.
 */
export async function deletedRecords({ ask, steward }: StewardContext) {
  const tombstones = await ask('repositoryAdmin', `/tombstones?limit=${mostDeleted}`)
  return listed(tombstones).flatMap((tombstone) => {
    const [kind = '', id = ''] = [textAt(tombstone, 'kind'), textAt(tombstone, 'id')]
    const catalogue = kind === 'catalogue' ? id : textAt(tombstone, 'catalogue')
    const restore = { method: 'POST', path: `${storedPath(kind, id)}/restore`, catalogue }
    const [deletedAt, until] = [
      textAt(tombstone, 'deletedAt'),
      textAt(tombstone, 'restorableUntil'),
    ]
    const title = valueAt(tombstone, 'title')
    return steward.may(restore) ? [{ kind, id, title, catalogue, deletedAt, until, restore }] : []
  })
}

const deletedName = ({ textOf, inLanguage }: StewardContext, title: unknown, id: string) => {
  const text = textOf(title)
  return text ? inLanguage({ ...text, language: text.language || undefined }) : id
}

/** Page of the newest deleted records that the session may restore. Rejects with `Failure`. */
export async function deletedPage(context: StewardContext): Promise<PageContent> {
  const { t, formats, pathTo } = context
  const [all, catalogueName] = await Promise.all([deletedRecords(context), catalogueNames(context)])
  const rows = all.map(({ kind, id, title, catalogue, deletedAt, until }) => [
    html`${deletedName(context, title, id)}<br><span class="small soft"><code>${id}</code></span>`,
    kind === 'catalogue' ? '' : catalogueName(catalogue),
    formats.moment(deletedAt),
    formats.moment(until),
    actionForm(context, pathTo('harvest', 'deleted', kind, id), 'restore', [
      t('restore'),
      html`<span class="vh"> ${id}</span>`,
    ]),
  ])
  const heads = ['record', 'facet-catalog', 'deleted-on', 'restorable-until', 'actions']
  const body = textTable(context, 'steward-deleted', heads, rows)
  return stewardPage(context, { tab: 'deleted', body })
}
