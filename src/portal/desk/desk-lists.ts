/** Lists of the desk: drafts that a person may see, and the published datasets of the catalogues that the person publishes in. */

import { cataloguesOf, hasRole } from '../../http/roles.ts'
import { dayMs } from '../../text/duration.ts'
import { type Fields, listed, textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { scoreBar } from '../parts/quality.ts'
import { textTable } from '../parts/table.ts'
import { listAt, numberAt, recordScore } from '../record.ts'
import { firstSection } from './form-names.ts'
import { formPath } from './form-page.ts'

/** Most catalogues that the desk offers. */
const mostCatalogues = 500

/** Names of lists: all drafts, those in a state, those that were thrown away, and what is published. */
export const lists = ['', 'returned', 'review', 'scheduled', 'away', 'published'] as const
/** States of the drafts in the list of all. */
const openStates = ['draft', 'returned', 'review', 'scheduled']
/** Orders of lists. */
export const listOrders = ['changed', 'title', 'points'] as const

/** Ids and titles of the catalogues that the person publishes in. */
export async function ownCatalogues(context: StewardContext): Promise<ReadonlyMap<string, string>> {
  const { steward, optional, find, plainTitle } = context
  const own = cataloguesOf(steward.permissions, 'publisher')
  const search = { filters: 'catalogue', limit: mostCatalogues, includes: ['id', 'title'] }
  const records = (await optional(find(search)))?.records ?? []
  const titles = new Map(records.map((one) => [textAt(one, 'id') ?? '', plainTitle(one)]))
  // The search does not have a catalogue at once, and hidden ones never.
  const name = (id: string) => [id, titles.get(id) ?? id] as const
  return own === '*' ? titles : new Map(own.slice(0, mostCatalogues).map(name))
}

/** Part of a list; without a catalogue of all of them. */
type ListChoice = {
  readonly state?: string
  readonly catalogue?: string
  /** Part of a title. */
  readonly q?: string
  readonly sort?: (typeof listOrders)[number]
  readonly offset?: number
  readonly limit: number
  /** Whether the answer has the number of records of each catalogue. */
  readonly isCounted?: boolean
}

/** Drafts of a type, by default last changed first, and the function that returns the length of a list. */
export async function listDrafts(
  { ask, language }: StewardContext,
  choice: ListChoice,
  type = 'datasets',
) {
  const entries = Object.entries({ ...choice, language }).filter(([, value]) => value !== '')
  const query = new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, String(value)]),
  )
  const path = `/drafts/${encodeURIComponent(type)}?${query.toString()}`
  const answer = await ask('deskRepository', path)
  const states = (list: string) => (list === '' ? openStates : [list])
  const count = (list: string) =>
    states(list).reduce((sum, state) => sum + numberAt(answer, `counts.${state}`), 0)
  return { drafts: listAt(answer, 'drafts'), count }
}

/** Order of a list → order of a search. */
const searchOrders = {
  changed: 'modified+desc',
  title: 'title.{language}+asc',
  points: 'quality_meas.scoring+desc',
} as const

/** Published datasets of a catalogue, or of all that the person publishes in, by default last changed first. */
export function listPublished(
  { find, steward, language }: StewardContext,
  { catalogue = '', q = '', sort = 'changed', offset = 0, limit, isCounted = false }: ListChoice,
) {
  const own = catalogue === '' ? cataloguesOf(steward.permissions, 'publisher') : [catalogue]
  return find({
    filters: 'dataset',
    ...(q !== '' && { q }),
    sort: searchOrders[sort].replace('{language}', language),
    limit,
    ...(isCounted && { counted: ['catalog'] }),
    page: Math.floor(offset / limit),
    includes: ['id', 'title', 'modified', 'issued', 'catalog', 'quality_meas.scoring'],
    facets: own === '*' ? undefined : { catalog: own.slice(0, 100) },
  })
}

/**
 * Address of the form of a draft, of its check where the person may not write it now, and `undefined` for who may do nothing with
 * it.
 */
export function draftLink(context: StewardContext, draft: Fields): string | undefined {
  const [may, type] = [listed(draft['may']), textAt(draft, 'type') ?? '']
  if (may.length === 0) return undefined
  const step = type === 'datasets' && may.includes('write') ? firstSection : 'check'
  const [id = '', catalogue = ''] = [textAt(draft, 'id'), textAt(draft, 'catalogue')]
  return formPath({ context, draft: { type, id, catalogue } }, step)
}

/** Title of a draft. */
export const draftTitle = ({ t, textOf, inLanguage }: StewardContext, draft: Fields): HtmlContent =>
  inLanguage(textOf(draft['title']) ?? { text: t('untitled') })

/** State of a record as a coloured word. */
export const stateFlag = ({ t }: StewardContext, state: string): HtmlMarkup => {
  const colours: Readonly<Record<string, string>> = {
    published: 'public',
    draft: 'draft',
    away: 'gone',
  }
  const colour = colours[state] ?? 'review'
  return html`<span class="flag ${colour}">${t(`form-state-${state}`)}</span>`
}

/** Milliseconds before a draft is thrown away without a change from which on its row says so. */
const idleMs = 180 * dayMs

/** Day on which a draft is deleted that was thrown away, or on which it will be thrown away, if that is near. */
function endOf({ t, formats }: StewardContext, draft: Fields): HtmlContent {
  const ends = textAt(draft, 'ends')
  const isAway = draft['state'] === 'away'
  if (ends === undefined || (!isAway && Date.parse(ends) - Date.now() > idleMs)) return false
  const key = isAway ? 'desk-deleted-on' : 'desk-idle-until'
  return html`<br><span class="soft small">${t(key)} ${formats.day(ends)}</span>`
}

/** Cell of the points of a record, with a bar; a dash where they are not known. */
const pointsCell = ({ formats }: StewardContext, score: number | undefined): HtmlContent =>
  html`<span class="nowrap">${score === undefined ? '–' : [scoreBar(score, 'bar thin'), formats.number(score)]}</span>`

/** Text as a link, if there is an address. */
export const linkIf = (href: string | undefined, text: HtmlContent): HtmlContent =>
  href === undefined ? text : html`<a href="${href}">${text}</a>`

type Shown = {
  readonly catalogues: ReadonlyMap<string, string>
  /** Makes the tick of a row, for lists whose records can be chosen. */
  readonly tick?: (record: Fields, title: string) => HtmlContent
  readonly drafts?: readonly Fields[]
  readonly published?: readonly Fields[]
}

/** Table of drafts and published datasets, with what the person can do next. */
export function deskTable(
  context: StewardContext,
  { catalogues, drafts = [], published = [], tick }: Shown,
): HtmlMarkup {
  const { t, formats, pathTo, steward, titleOf, plainTitle } = context
  const named = (href: string | undefined, title: HtmlContent, catalogue: string) =>
    html`${linkIf(href, title)}<br><span class="soft">${catalogues.get(catalogue) ?? catalogue}</span>`
  const ticked = (record: Fields, title: string, name: HtmlMarkup) =>
    tick ? html`<div class="tick">${tick(record, title)}<div>${name}</div></div>` : name
  const draftRows = drafts.map((draft) => {
    const [href, title] = [draftLink(context, draft), draftTitle(context, draft)]
    const isChange = draft['baseTag'] !== undefined
    const next = listed(draft['may']).includes('write') ? 'desk-continue' : 'desk-show'
    return [
      ticked(
        draft,
        context.textOf(draft['title'])?.text ?? t('untitled'),
        named(href, title, textAt(draft, 'catalogue') ?? ''),
      ),
      html`${isChange && stateFlag(context, 'published')} ${stateFlag(context, textAt(draft, 'state') ?? '')}${endOf(context, draft)}`,
      pointsCell(context, numberAt(draft, 'score') || undefined),
      html`<span class="nowrap">${formats.day(draft['changedAt'])}</span>`,
      href !== undefined && linkIf(href, [t(next), html`<span class="vh">: ${title}</span>`]),
    ]
  })
  const publishedRows = published.map((record) => {
    const [id = '', catalogue = ''] = [textAt(record, 'id'), textAt(record, 'catalog.id')]
    const which = html`<span class="vh">: ${plainTitle(record)}</span>`
    const actions = html`<input type="hidden" name="of" value="${id}"><button class="button small">${t('edit')}${which}</button>
      <a class="button small quiet" href="${pathTo('desk', 'datasets', id, 'history')}">${t('versions')}${which}</a>`
    return [
      ticked(record, plainTitle(record), named(pathTo('datasets', id), titleOf(record), catalogue)),
      stateFlag(context, 'published'),
      pointsCell(context, recordScore(record)),
      html`<span class="nowrap">${formats.day(record['modified'] ?? record['issued'])}</span>`,
      hasRole(steward.permissions, 'publisher', catalogue) &&
        sessionForm(context, pathTo('desk', 'new'), actions),
    ]
  })
  const heads = ['record', 'state', 'points', 'last-change', 'actions']
  return textTable(context, 'desk-list', heads, [...draftRows, ...publishedRows])
}
