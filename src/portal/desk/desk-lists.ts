/** Lists of the desk: drafts that a person may see, and the published datasets of the catalogues that the person publishes in. */

import { cataloguesOf, hasRole } from '../../http/roles.ts'
import { type Fields, listed, textAt, valueAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { textTable } from '../parts/table.ts'
import { fieldsAt, listAt, numberAt, recordScore } from '../record.ts'
import { readModel } from './drafts.ts'

/** Most catalogues that the desk offers. */
const mostCatalogues = 500

/** States of drafts that the desk lists. */
export const listedStates = ['draft', 'returned', 'review', 'scheduled'] as const

/** Ids and titles of the catalogues that the person publishes in. */
export async function ownCatalogues({
  steward,
  optional,
  find,
  plainTitle,
}: StewardContext): Promise<ReadonlyMap<string, string>> {
  const own = cataloguesOf(steward.permissions, 'publisher')
  const includes = ['id', 'title']
  const found = await optional(find({ filters: 'catalogue', limit: mostCatalogues, includes }))
  const titles = new Map(
    (found?.records ?? []).map((record) => [textAt(record, 'id') ?? '', plainTitle(record)]),
  )
  // The search does not have a catalogue at once, and hidden ones never.
  return own === '*'
    ? titles
    : new Map(own.slice(0, mostCatalogues).map((id) => [id, titles.get(id) ?? id]))
}

/** Choice of a list; no catalogue stands for all. */
export type ListChoice = {
  readonly state?: string
  readonly catalogue?: string
  readonly offset?: number
  readonly limit: number
}

/** Drafts of a type, last changed first, with their number in a state. */
export async function listDrafts({ ask }: StewardContext, choice: ListChoice, type = 'datasets') {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(choice)) if (value !== '') query.set(name, `${value}`)
  const answer = await ask(
    'deskRepository',
    `/drafts/${encodeURIComponent(type)}?${query.toString()}`,
  )
  const count = (state: string) => numberAt(answer, `counts.${state}`)
  return { drafts: listAt(answer, 'drafts'), count }
}

/** Published datasets of a catalogue, or of all that the person publishes in, last changed first. */
export function listPublished(
  { find, steward }: StewardContext,
  { catalogue = '', offset = 0, limit }: ListChoice,
) {
  const own = catalogue === '' ? cataloguesOf(steward.permissions, 'publisher') : [catalogue]
  return find({
    filters: 'dataset',
    sort: 'modified+desc',
    limit,
    page: Math.floor(offset / limit),
    includes: ['id', 'title', 'modified', 'issued', 'catalog', 'quality_meas.scoring'],
    facets: own === '*' ? undefined : { catalog: own.slice(0, 100) },
  })
}

/**
 * Function that returns the address of the form of a draft, of its check where the person may not write it now, and `undefined` for
 * who may do nothing with it.
 */
export async function draftLinks(
  context: StewardContext,
): Promise<(draft: Fields) => string | undefined> {
  const section = (await readModel(context, 'datasets')).sections[0]?.id ?? ''
  return (draft) => {
    const [may, type] = [listed(draft['may']), textAt(draft, 'type') ?? '']
    if (may.length === 0) return undefined
    const step = type === 'datasets' && may.includes('write') ? section : 'check'
    const query = new URLSearchParams({ catalogue: textAt(draft, 'catalogue') ?? '' })
    const path = context.pathTo('desk', type, textAt(draft, 'id') ?? '', step)
    return `${path}?${query.toString()}`
  }
}

/** Title of a draft. */
export const draftTitle = ({ t, textOf, inLanguage }: StewardContext, draft: Fields): HtmlContent =>
  inLanguage(textOf(draft['title']) ?? { text: t('untitled') })

/** Colour of a state. */
const flags: Readonly<Record<string, string>> = { published: 'public', draft: 'draft' }

const flag = ({ t }: StewardContext, state: string): HtmlMarkup =>
  html`<span class="flag ${flags[state] ?? 'review'}">${t(`form-state-${state}`)}</span>`

const named = (title: HtmlContent, href: string | undefined, catalogue: HtmlContent): HtmlMarkup =>
  html`${href === undefined ? title : html`<a href="${href}">${title}</a>`}<br><span class="soft">${catalogue}</span>`

/** Table of drafts and published datasets, with what the person can do next. */
export async function deskTable(
  context: StewardContext,
  catalogues: ReadonlyMap<string, string>,
  {
    drafts,
    published,
  }: { readonly drafts: readonly Fields[]; readonly published: readonly Fields[] },
): Promise<HtmlMarkup> {
  const { t, formats, pathTo, steward, titleOf, plainTitle } = context
  const link = await draftLinks(context)
  const draftRows = drafts.map((draft) => {
    const [href, id] = [link(draft), textAt(draft, 'catalogue') ?? '']
    const title = draftTitle(context, draft)
    const isChange = textAt(draft, 'baseTag') !== undefined
    return [
      named(title, href, catalogues.get(id) ?? id),
      html`${isChange && flag(context, 'published')} ${flag(context, textAt(draft, 'state') ?? '')}`,
      numberAt(draft, 'score') || '–',
      formats.moment(draft['changedAt']),
      href !== undefined &&
        html`<a href="${href}">${t('desk-continue')}<span class="vh">: ${title}</span></a>`,
    ]
  })
  const publishedRows = published.map((record) => {
    const id = textAt(record, 'id') ?? ''
    const catalogue = textAt(record, 'catalog.id') ?? ''
    const which = html`<span class="vh">: ${plainTitle(record)}</span>`
    const history = html`<a class="button small quiet" href="${pathTo('desk', 'datasets', id, 'history')}">${t('versions')}${which}</a>`
    const edit = html`<input type="hidden" name="of" value="${id}"><button class="button small">${t('edit')}${which}</button>${history}`
    return [
      named(
        titleOf(record),
        pathTo('datasets', id),
        catalogues.get(catalogue) ?? titleOf(fieldsAt(record, 'catalog')),
      ),
      flag(context, 'published'),
      recordScore(record) ?? '–',
      formats.day(valueAt(record, 'modified') ?? record['issued']),
      hasRole(steward.permissions, 'publisher', catalogue) &&
        sessionForm(context, pathTo('desk', 'new'), edit),
    ]
  })
  const heads = ['record', 'state', 'points', 'last-change', 'actions']
  return textTable(context, 'desk-list', heads, [...draftRows, ...publishedRows])
}
