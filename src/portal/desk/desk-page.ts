/** The desk: what waits for a person, the drafts and datasets of the person's catalogues, and all of them in a list. */

import { type Fields, listed, textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { stewardPage } from '../pages/steward/steward-parts.ts'
import { headedSection } from '../parts/blocks.ts'
import { listAt } from '../record.ts'
import { lastReachableHit } from '../search-form.ts'
import { beginBlock } from './begin-page.ts'
import { outcome } from './check-page.ts'
import { deskStyle } from './desk-frame.ts'
import {
  deskTable,
  draftLinks,
  draftTitle,
  listDrafts,
  listedStates,
  listPublished,
  ownCatalogues,
} from './desk-lists.ts'

/** Rows of each list of the desk, rows of a page of datasets, and most drafts in review that are looked through. */
const [mostRows, pageRows, mostReviews] = [5, 50, 100]
/** Most types of records whose drafts are looked through. */
const mostTypes = 20

/** Names of the lists of datasets: all drafts, those in a state, and what is published. */
const lists = ['', ...listedStates.filter((state) => state !== 'draft'), 'published'] as const

/** The desk. `undefined` for who may publish nowhere. Rejects with `Failure`. */
export async function deskPage(context: StewardContext): MaybePage {
  const { t, pathTo, steward, optional } = context
  if (!steward.hasDesk) return undefined
  const [catalogues, newest, returned, reviews, scheduled, published] = await Promise.all([
    ownCatalogues(context),
    listDrafts(context, { limit: mostRows }),
    listDrafts(context, { state: 'returned', limit: mostRows }),
    listDrafts(context, { state: 'review', limit: mostReviews }),
    listDrafts(context, { state: 'scheduled', limit: mostRows }),
    optional(listPublished(context, { limit: mostRows })),
  ])
  const { drafts } = newest
  const counts = countsOf(newest.count, published?.count ?? 0)
  const isEmpty = drafts.length === 0 && (published?.count ?? 0) === 0
  const drafted = new Set(drafts.map((draft) => textAt(draft, 'id')))
  const others = (published?.records ?? []).filter((record) => !drafted.has(textAt(record, 'id')))
  const waiting = [...returned.drafts, ...reviews.drafts, ...scheduled.drafts]
  const add = html`<a class="button primary" href="${pathTo('desk', 'new')}">${icon('plus')} ${t('desk-describe')}</a>`
  const todo = await todoList(context, waiting)
  const body = html`${lead(context, catalogues)} ${todo && headedSection('waiting', t('steward-waiting'), false, todo)}
    ${
      isEmpty
        ? [beginBlock(context, catalogues), howItGoes(context)]
        : headedSection('own', t('desk-own'), listLinks(context, counts), [
            await deskTable(context, catalogues, { drafts, published: others }),
            html`<p class="close"><a href="${pathTo('desk', 'datasets')}">${t('desk-all')}</a></p>`,
          ])
    }`
  const title = isEmpty ? t('desk-welcome', { name: steward.name }) : t('desk-title')
  return stewardPage(context, {
    tab: 'desk',
    title,
    body,
    head: deskStyle(context),
    actions: !isEmpty && add,
  })
}

/** Catalogues that the person publishes for. */
function lead({ t, pathTo }: StewardContext, catalogues: ReadonlyMap<string, string>): HtmlContent {
  const links = [...catalogues]
    .slice(0, 10)
    .map(([id, title]) => html`<a href="${pathTo('catalogues', id)}">${title}</a>`)
  const more = catalogues.size > links.length && '…'
  return (
    links.length > 0 &&
    html`<p class="soft">${t('desk-for')} ${joinHtml([...links, more], ', ')}</p>`
  )
}

/** Drafts that wait for the person: sent back, to be reviewed by the person, or to be published at a time. */
async function todoList(
  context: StewardContext,
  drafts: readonly Fields[],
  most = 3 * mostRows,
): Promise<HtmlContent> {
  const { t, formats } = context
  const link = await draftLinks(context)
  const items = drafts.flatMap((draft) => {
    const [state, may] = [textAt(draft, 'state'), listed(draft['may'])]
    const facts = {
      name: textAt(draft, state === 'review' ? 'author' : 'notedBy') ?? '',
      note: textAt(draft, 'note') ?? '',
    }
    const key = `desk-waits-${state}${facts.note === '' ? '' : '-note'}`
    const isMine = may.includes(state === 'returned' ? 'write' : 'publish')
    if (!isMine) return []
    const about =
      state === 'scheduled'
        ? [t('desk-waits-scheduled'), ' ', formats.moment(draft['publishAt'])]
        : t(key, facts)
    const [href, title] = [link(draft), draftTitle(context, draft)]
    return html`<li>${icon(state === 'returned' ? 'rotate-ccw' : 'circle-dashed')}<div>
      ${href === undefined ? html`<strong>${title}</strong>` : html`<a href="${href}">${title}</a>`}<p><bdi>${about}</bdi></p></div>
      <span class="when">${formats.day(draft['changedAt'])}</span></li>`
  })
  return items.length > 0 && html`<ul class="todo" role="list">${items.slice(0, most)}</ul>`
}

/** Page of all drafts that wait for the person, of all types. `undefined` for who may publish nowhere. Rejects with `Failure`. */
export async function waitingDraftsPage(context: StewardContext): MaybePage {
  const { t, steward, askOptional } = context
  if (!steward.hasDesk) return undefined
  const declared = listAt(await askOptional('search', '/profile'), 'resources')
  const types = ['datasets', 'catalogues', ...declared.flatMap((one) => textAt(one, 'id') ?? [])]
  const choices = types
    .slice(0, mostTypes)
    .flatMap((type) => ['returned', 'review'].map((state) => ({ type, state, limit: mostReviews })))
  const found = await Promise.all(
    choices.map(({ type, ...choice }) => listDrafts(context, choice, type)),
  )
  const changedAt = (draft: Fields) => textAt(draft, 'changedAt') ?? ''
  const drafts = found
    .flatMap((list) => list.drafts)
    .toSorted((a, b) => changedAt(a).localeCompare(changedAt(b)))
  const todo = await todoList(context, drafts, drafts.length)
  return stewardPage(context, {
    tab: 'reviews',
    title: t('waiting-title'),
    head: deskStyle(context),
    body: [outcome(context), todo || html`<p class="close">${t('waiting-nothing')}</p>`],
  })
}

/** What happens on the way to a published dataset. */
function howItGoes({ t }: StewardContext): HtmlMarkup {
  const steps = ['describe', 'check', 'publish'].map(
    (step) =>
      html`<li><h3>${t(`desk-how-${step}`)}</h3><span></span><p>${t(`desk-how-${step}-means`)}</p></li>`,
  )
  return headedSection(
    'how',
    t('desk-how'),
    false,
    html`<ol class="fixes" role="list">${steps}</ol>`,
  )
}

/** Number of records of each list. */
const countsOf = (
  count: (state: string) => number,
  published: number,
): ReadonlyMap<string, number> =>
  new Map(
    lists.map((list) => [
      list,
      list === ''
        ? listedStates.reduce((sum, state) => sum + count(state), 0)
        : list === 'published'
          ? published
          : count(list),
    ]),
  )

/** Links to the lists that have records, or that is shown. */
function listLinks(
  { t, formats, pathTo }: StewardContext,
  counts: ReadonlyMap<string, number>,
  { current, catalogue = '' }: { readonly current?: string; readonly catalogue?: string } = {},
): HtmlMarkup {
  const links = [...counts].map(([list, count]) => {
    const query = new URLSearchParams({
      ...(list && { state: list }),
      ...(catalogue && { catalogue }),
    })
    const here = list === current && html` aria-current="page"`
    const label = list === '' ? t('desk-drafts') : t(`form-state-${list}`)
    return (
      (count > 0 || list === current) &&
      html`<a href="${pathTo('desk', 'datasets')}?${query.toString()}"${here}>${label} (${formats.number(count)})</a>`
    )
  })
  return html`<p class="formats">${links}</p>`
}

/** Page of drafts, by default all, or of published datasets. `undefined` for catalogues of others. Rejects with `Failure`. */
export async function deskDatasetsPage(context: StewardContext): MaybePage {
  const { t, pathTo, query, steward } = context
  const state = lists.find((list) => list === query.get('state')) ?? ''
  const catalogue = query.get('catalogue') ?? ''
  const catalogues = await ownCatalogues(context)
  if (!steward.hasDesk || (catalogue !== '' && !catalogues.has(catalogue))) return undefined
  const page = Math.min(
    Math.max(Math.trunc(Number(query.get('page'))) || 1, 1),
    lastReachableHit / pageRows,
  )
  const choice = { catalogue, offset: (page - 1) * pageRows, limit: pageRows }
  const isPublished = state === 'published'
  const [list, published] = await Promise.all([
    listDrafts(context, { ...choice, state: isPublished ? '' : state }),
    listPublished(context, isPublished ? choice : { catalogue, limit: 1 }),
  ])
  const counts = countsOf(list.count, published.count)
  const rows = isPublished
    ? { drafts: [], published: published.records }
    : { drafts: list.drafts, published: [] }
  const last = Math.ceil(Math.min(counts.get(state) ?? 0, lastReachableHit) / pageRows)
  const body = html`${listLinks(context, counts, { current: state, catalogue })}
    ${catalogues.size > 1 && catalogueFilter(context, catalogues, { state, catalogue })}
    ${await deskTable(context, catalogues, rows)} ${pageList(context, { page, last, state, catalogue })}`
  const add = html`<a class="button primary" href="${pathTo('desk', 'new')}">${icon('plus')} ${t('desk-describe')}</a>`
  return stewardPage(context, { tab: 'datasets', body, actions: add, head: deskStyle(context) })
}

type Place = { readonly state: string; readonly catalogue: string }

function catalogueFilter(
  { t, pathTo }: StewardContext,
  catalogues: ReadonlyMap<string, string>,
  { state, catalogue }: Place,
): HtmlMarkup {
  const options = [['', t('all-catalogues')] as const, ...catalogues].map(
    ([id, title]) =>
      html`<option value="${id}"${id === catalogue && html` selected`}>${title}</option>`,
  )
  return html`<form class="filter-row" action="${pathTo('desk', 'datasets')}">
    ${state !== '' && html`<input type="hidden" name="state" value="${state}">`}
    <label for="catalogue">${t('facet-catalog')}</label><select id="catalogue" name="catalogue">${options}</select>
    <button class="button small">${t('desk-show')}</button></form>`
}

/** Links to the page before and the page after. */
function pageList(
  { t, pathTo }: StewardContext,
  { page, last, ...place }: Place & { readonly page: number; readonly last: number },
): HtmlContent {
  const link = (number: number, rel: string, label: string) => {
    const query = new URLSearchParams({ ...place, page: String(number) })
    return html`<a href="${pathTo('desk', 'datasets')}?${query.toString()}" rel="${rel}">${label}</a>`
  }
  return (
    last > 1 &&
    html`<nav class="pages" aria-label="${t('pages')}">${page > 1 && link(page - 1, 'prev', t('previous'))}
    <span aria-current="page">${t('page-n', { page })}</span>${page < last && link(page + 1, 'next', t('next'))}</nav>`
  )
}
