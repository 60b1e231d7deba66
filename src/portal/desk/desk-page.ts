/** The desk: what waits for a person, the drafts and datasets of the person's catalogues, and all of them in a list. */

import { type Fields, listed, textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { stewardPage } from '../pages/steward/steward-parts.ts'
import { headedSection, pageList, pageSection } from '../parts/blocks.ts'
import { listAt } from '../record.ts'
import { lastReachableHit } from '../search-form.ts'
import { beginBlock, catalogueOptions } from './begin-page.ts'
import { bulkForm, bulkOutcome, type BulkResult, bulkTick } from './bulk-actions.ts'
import { outcome } from './outcome.ts'
import { deskHead } from './desk-frame.ts'
import {
  deskTable,
  draftLinks,
  draftTitle,
  linkIf,
  listDrafts,
  listOrders,
  listPublished,
  lists,
  ownCatalogues,
} from './desk-lists.ts'

/** Rows of each list of the desk, rows of a page of datasets, and most drafts in a state that are looked through. */
const [mostRows, pageRows, mostWaiting] = [5, 50, 100]
/** Most types of records whose drafts are looked through. */
const mostTypes = 20

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
  const { t, pathTo, steward, optional } = context
  if (!steward.hasDesk) return undefined
  const [catalogues, { drafts, count }, published, waiting] = await Promise.all([
    ownCatalogues(context),
    listDrafts(context, { limit: mostRows }),
    optional(listPublished(context, { limit: mostRows })),
    waitingDrafts(context, ['datasets'], ['returned', 'review', 'scheduled']),
  ])
  const todo = await todoList(context, waiting.slice(0, 3 * mostRows))
  const drafted = new Set(drafts.map((draft) => textAt(draft, 'id')))
  const others = (published?.records ?? []).filter((record) => !drafted.has(textAt(record, 'id')))
  const names = [...catalogues.values()].slice(0, 10)
  const publishedCount = published?.count ?? 0
  const isEmpty = drafts.length + publishedCount === 0
  const links = listLinks(context, (list) => (list === 'published' ? publishedCount : count(list)))
  const body = html`${names.length > 0 && html`<p class="soft">${t('desk-for')} ${joinHtml(names, ', ')}</p>`}
    ${todo && pageSection('waiting', t('steward-waiting'), todo)}
    ${
      isEmpty
        ? [beginBlock(context, catalogues), howItGoes(context)]
        : headedSection('own', t('desk-own'), links, [
            await deskTable(context, { catalogues, drafts, published: others }),
            html`<p class="close"><a href="${pathTo('desk', 'datasets')}">${t('desk-all')}</a></p>`,
          ])
    }`
  return stewardPage(context, {
    tab: 'desk',
    // The id of a key of the configuration says nothing.
    title:
      isEmpty && steward.name !== steward.id
        ? t('desk-welcome', { name: steward.name })
        : t('desk-title'),
    body,
    head: deskHead(context),
    actions: !isEmpty && newButton(context),
  })
}

/** Drafts of types that wait for the person: sent back, to be reviewed by the person, or to be published at a time. */
async function waitingDrafts(
  context: StewardContext,
  types: readonly string[],
  states: readonly string[],
): Promise<readonly Fields[]> {
  const all = types.flatMap((type) =>
    states.map((state) => listDrafts(context, { state, limit: mostWaiting }, type)),
  )
  const isOwn = ({ state, may }: Fields) =>
    listed(may).includes(state === 'returned' ? 'write' : 'publish')
  return (await Promise.all(all)).flatMap(({ drafts }) => drafts.filter(isOwn))
}

/** List of drafts that wait, with what was said about them; nothing without any. */
async function todoList(context: StewardContext, drafts: readonly Fields[]): Promise<HtmlContent> {
  const { t, formats } = context
  const link = await draftLinks(context)
  const items = drafts.map((draft) => {
    const state = textAt(draft, 'state') ?? ''
    const name = textAt(draft, state === 'review' ? 'author' : 'notedBy') ?? ''
    const note = textAt(draft, 'note') ?? ''
    // A scheduled draft that cannot be published is sent back by the platform, without a name and with a note for programs.
    const said =
      state === 'returned' && name === ''
        ? t('publish-failed')
        : t(`desk-waits-${state}${note === '' ? '' : '-note'}`, { name, note })
    const about =
      state === 'scheduled'
        ? html`${t('desk-waits-scheduled')} ${formats.moment(draft['publishAt'])}`
        : said
    return html`<li>${icon(state === 'returned' ? 'rotate-ccw' : 'circle-dashed')}<div><strong>${linkIf(link(draft), draftTitle(context, draft))}</strong>
      <p><bdi>${about}</bdi></p></div><span class="when">${formats.day(draft['changedAt'])}</span></li>`
  })
  return items.length > 0 && html`<ul class="todo" role="list">${items}</ul>`
}

/** Page of all drafts that wait for the person, of all types. `undefined` for who may publish nowhere. Rejects with `Failure`. */
export async function waitingDraftsPage(context: StewardContext): MaybePage {
  const { t, steward, askOptional } = context
  if (!steward.hasDesk) return undefined
  const declared = listAt(await askOptional('search', '/profile'), 'resources')
  const types = ['datasets', 'catalogues', ...declared.flatMap((one) => textAt(one, 'id') ?? [])]
  const drafts = await waitingDrafts(context, types.slice(0, mostTypes), ['returned', 'review'])
  const changedAt = (draft: Fields) => textAt(draft, 'changedAt') ?? ''
  const oldestFirst = drafts.toSorted((a, b) => changedAt(a).localeCompare(changedAt(b)))
  const todo = await todoList(context, oldestFirst)
  const body = [outcome(context), todo || html`<p class="close">${t('waiting-nothing')}</p>`]
  const head = deskHead(context)
  return stewardPage(context, { tab: 'reviews', title: t('waiting-title'), head, body })
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
    ${listFilter(context, catalogues, place)} ${await deskTable(context, { catalogues, drafts, published, tick })}
    ${pageList(context, (number) => pathOf(context, { ...place, page: number }), { page, last })} ${bulkForm(context, self, [...drafts, ...published], result)}`
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
