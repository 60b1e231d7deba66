/** The desk: what waits for a person, the ways to begin, the drafts and datasets of the person's catalogues, and all of them in a list. */

import { textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { stewardPage } from '../pages/steward/steward-parts.ts'
import { headedSection, notice, pageList, pageSection, panel } from '../parts/blocks.ts'
import { scoreBar } from '../parts/quality.ts'
import { numberAt, recordScore } from '../record.ts'
import { lastReachableHit } from '../search-form.ts'
import type { CountedFacetValue } from '../search-result.ts'
import { beginBlock, catalogueOptions } from './begin-page.ts'
import { bulkForm, bulkOutcome, type BulkResult, bulkTick } from './bulk-actions.ts'
import { outcome } from './outcome.ts'
import { deskHead } from './desk-frame.ts'
import {
  deskTable,
  linkIf,
  listDrafts,
  listOrders,
  listPublished,
  lists,
  ownCatalogues,
} from './desk-lists.ts'
import { isEndingSoon } from './people-page.ts'
import { todoList, waitingDrafts } from './waiting-page.ts'

/** Rows of each list of the desk, and of a page of datasets. */
const [mostRows, pageRows] = [5, 50]
/** Most catalogues with figures, most that are named, and most examples of datasets. */
const [mostFigures, mostNames, mostExamples] = [5, 10, 3]

/** List that is shown: the catalogue that it is of, `''` for all, the part of a title that is looked for, and the order. */
type Place = {
  readonly state: string
  readonly catalogue: string
  readonly q: string
  readonly sort: (typeof listOrders)[number]
}

const pathOf = ({ pathTo }: StewardContext, place: Record<string, string>): string =>
  `${pathTo('desk', 'datasets')}?${new URLSearchParams(Object.entries(place).filter(([, value]) => value !== '')).toString()}`

const newButton = ({ t, pathTo }: StewardContext): HtmlMarkup =>
  html`<a class="button primary" href="${pathTo('desk', 'new')}">${icon('plus')} ${t('desk-describe')}</a>`

/** The desk. `undefined` for who may publish nowhere. Rejects with `Failure`. */
export async function deskPage(context: StewardContext): MaybePage {
  const { t, pathTo, steward, optional, askOptional } = context
  if (!steward.hasDesk) return undefined
  const [catalogues, { drafts, count }, published, account] = await Promise.all([
    ownCatalogues(context),
    listDrafts(context, { limit: mostRows }),
    optional(listPublished(context, { limit: mostRows, isCounted: true })),
    askOptional('deskRepository', '/account'),
  ])
  const drafted = new Set(drafts.map((draft) => textAt(draft, 'id')))
  const others = (published?.records ?? []).filter((record) => !drafted.has(textAt(record, 'id')))
  const publishedCount = published?.count ?? 0
  const isEmpty = drafts.length + publishedCount === 0
  const states = ['returned', 'review', 'scheduled'].filter((state) => count(state) > 0)
  const [waiting, figures, examples] = await Promise.all([
    waitingDrafts(context, ['datasets'], states),
    cataloguePanel(context, catalogues, published?.facets.get('catalog')),
    isEmpty && goodExamples(context),
  ])
  const own = deskTable(context, { catalogues, drafts, published: others })
  const todo = todoList(context, waiting.slice(0, 3 * mostRows), catalogues)
  const links = listLinks(context, (list) => (list === 'published' ? publishedCount : count(list)))
  const all = html`<a href="${pathTo('desk', 'waiting')}">${t('all-n', { count: waiting.length })}</a>`
  const first = [
    isEndingSoon(account) &&
      notice('warn', html`<a href="${pathTo('desk', 'me')}">${t('key-ending')}</a>`),
    todo && headedSection('waiting', t('waiting-title'), all, todo),
  ]
  const allOwn = html`<p class="close"><a href="${pathTo('desk', 'datasets')}">${t('desk-all')}</a></p>`
  const body = isEmpty
    ? [first, beginBlock(context, catalogues, true), howItGoes(context), examples]
    : html`<div class="with-aside section"><div>${first}
      <div class="section">${beginBlock(context, catalogues, false)}</div>
      ${headedSection('own', t('desk-own'), links, [own, allOwn])}</div>${figures}</div>`
  return stewardPage(context, {
    tab: 'desk',
    // The id of a key of the configuration says nothing.
    title:
      isEmpty && steward.name !== steward.id
        ? t('desk-welcome', { name: steward.name })
        : t('desk-title'),
    body: [publishesFor(context, catalogues), body],
    head: deskHead(context),
    actions: !isEmpty && newButton(context),
  })
}

/** Line with the first catalogues of the person; those that the search does not have are no links. */
function publishesFor(
  { t, pathTo }: StewardContext,
  catalogues: ReadonlyMap<string, string>,
): HtmlContent {
  const names = [...catalogues].map(([id, title]) =>
    linkIf(title === id ? undefined : pathTo('catalogues', id), title),
  )
  return (
    names.length > 0 &&
    html`<p class="soft">${t('desk-for')} ${joinHtml(names.slice(0, mostNames), ', ')}</p>`
  )
}

/** Aside with the mean points of the first catalogues, as far as they are measured, and the addresses of their files that fail. */
async function cataloguePanel(
  context: StewardContext,
  catalogues: ReadonlyMap<string, string>,
  counts: readonly CountedFacetValue[] = [],
): Promise<HtmlContent> {
  const { t, formats, pathTo, askOptional } = context
  const entries = [...catalogues]
    .slice(0, mostFigures)
    .map(async ([id, title]): Promise<HtmlContent> => {
      const path = `/catalogues/${encodeURIComponent(id)}`
      const [measured, failing] = await Promise.all([
        askOptional('metrics', `${path}?filter=score`),
        askOptional('metrics', `${path}/distributions/reachability?limit=1`),
      ])
      const score = valueAt(measured, 'result.results.0.score')
      const [count, broken] = [
        counts.find((one) => one.id === id)?.count,
        numberAt(failing, 'result.count'),
      ]
      if (typeof score !== 'number' && count === undefined) return false
      const list = pathOf(context, { state: 'published', catalogue: id })
      const report = pathTo('quality', 'catalogues', id)
      return html`<div><dt>${title}</dt>
      ${typeof score === 'number' && html`<dd><a href="${report}"><strong>${formats.number(score)}</strong> ${t('points-on-average')}</a>${scoreBar(score)}</dd>`}
      ${count !== undefined && html`<dd class="small"><a href="${list}">${t('n-datasets', { count })}</a></dd>`}
      ${broken > 0 && html`<dd class="small"><a href="${report}#broken-links">${t('desk-broken', { count: broken })}</a></dd>`}</div>`
    })
  const list = (await Promise.all(entries)).filter(Boolean)
  return (
    list.length > 0 &&
    html`<aside aria-label="${t('desk-figures')}">${panel(t('desk-figures'), html`<dl>${list}</dl>`)}</aside>`
  )
}

/** Published datasets with the most points, as examples; nothing where none is measured. */
async function goodExamples(context: StewardContext): Promise<HtmlContent> {
  const { t, pathTo, optional, find, titleOf, labelOf } = context
  const includes = ['id', 'title', 'publisher', 'catalog', 'quality_meas.scoring']
  const best = {
    filters: 'dataset',
    sort: 'quality_meas.scoring+desc',
    limit: mostExamples,
    includes,
  }
  const items = ((await optional(find(best)))?.records ?? []).flatMap((record) => {
    const score = recordScore(record)
    const points = [t('n-points', { count: score ?? 0 }), labelOf(record['publisher'])]
    return score === undefined
      ? []
      : html`<li><h3><a href="${pathTo('datasets', textAt(record, 'id') ?? '')}">${titleOf(record)}</a></h3><p>${joinHtml(points, ' · ')}</p></li>`
  })
  const cards = html`<ul class="cards" role="list">${items}</ul>`
  return items.length > 0 && pageSection('examples', t('desk-examples'), cards)
}

/** Steps on the way to a published dataset. */
function howItGoes({ t }: StewardContext): HtmlMarkup {
  const steps = ['desk-how-describe', 'desk-how-check', 'desk-how-publish'].map(
    (step) => html`<li><h3>${t(step)}</h3><span></span><p>${t(`${step}-means`)}</p></li>`,
  )
  return pageSection('how', t('desk-how'), html`<ol class="fixes" role="list">${steps}</ol>`)
}

/** Links to the lists that have records, and to the one that is shown. */
function listLinks(
  context: StewardContext,
  count: (list: string) => number,
  place?: Place,
): HtmlMarkup {
  const { t, formats } = context
  const links = lists.map((state) => {
    const here = state === place?.state && html` aria-current="page"`
    const label = state === '' ? t('desk-drafts') : t(`form-state-${state}`)
    return (
      (here || count(state) > 0) &&
      html`<a href="${pathOf(context, { ...place, state })}"${here}>${label} (${formats.number(count(state))})</a>`
    )
  })
  return html`<p class="formats">${links}</p>`
}

/**
 * Page of drafts, by default all, or of published datasets; after an action on several, with its result. `undefined` for catalogues
 * of others. Rejects with `Failure`.
 */
export async function deskDatasetsPage(context: StewardContext, result?: BulkResult): MaybePage {
  const { query, steward } = context
  const [catalogue, q] = ['catalogue', 'q'].map((name) =>
    (query.get(name) ?? '').trim().slice(0, 200),
  )
  const catalogues = await ownCatalogues(context)
  if (!steward.hasDesk || (catalogue && !catalogues.has(catalogue))) return undefined
  const state = lists.find((list) => list === query.get('state')) ?? ''
  const sort = listOrders.find((order) => order === query.get('sort')) ?? 'changed'
  const place = { state, catalogue: catalogue ?? '', q: q ?? '', sort }
  const mostPages = lastReachableHit / pageRows
  const page = Math.min(Math.max(Math.trunc(Number(query.get('page'))) || 1, 1), mostPages)
  const isPublished = state === 'published'
  const { state: _, ...choice } = place
  const part = { ...choice, offset: (page - 1) * pageRows, limit: pageRows }
  const [all, found] = await Promise.all([
    listDrafts(context, isPublished ? { ...choice, limit: 1 } : { ...part, state }),
    listPublished(context, isPublished ? part : { ...choice, limit: 1 }),
  ])
  const count = (list: string) => (list === 'published' ? found.count : all.count(list))
  const [drafts, published] = isPublished ? [[], found.records] : [all.drafts, []]
  const last = Math.min(Math.ceil(count(state) / pageRows), mostPages)
  const tick = bulkTick(context, result?.picked)
  const self = pathOf(context, { ...place, page: String(page) })
  const body = html`${result ? bulkOutcome(context, result) : outcome(context)} <div class="close">${listLinks(context, count, place)}</div>
    ${listFilter(context, catalogues, place)} ${deskTable(context, { catalogues, drafts, published, tick })}
    ${pageList(context, (number) => pathOf(context, { ...place, page: number }), { page, last })} ${bulkForm(context, self, [...drafts, ...published], { result })}`
  const head = deskHead(context)
  return stewardPage(context, { tab: 'datasets', body, actions: newButton(context), head })
}

/** Form that searches and sorts a list. */
const listFilter = (
  { t, pathTo }: StewardContext,
  catalogues: ReadonlyMap<string, string>,
  { state, catalogue, q, sort }: Place,
): HtmlMarkup => html`<form class="filter-row" action="${pathTo('desk', 'datasets')}">
    <input type="hidden" name="state" value="${state}">
    <div class="field"><label for="find">${t('desk-find')}</label><input type="search" id="find" name="q" value="${q}" maxlength="200" autocomplete="off"></div>
    ${
      catalogues.size > 1 &&
      html`<div class="field"><label for="catalogue">${t('facet-catalog')}</label>
      <select id="catalogue" name="catalogue">${catalogueOptions([['', t('all-catalogues')], ...catalogues], catalogue)}</select></div>`
    }
    <div class="field"><label for="sort">${t('sort-by')}</label>
      <select id="sort" name="sort">${listOrders.map((order) => html`<option value="${order}"${order === sort && html` selected`}>${t(`desk-sort-${order}`)}</option>`)}</select></div>
    <button class="button small">${t('desk-show')}</button></form>`
