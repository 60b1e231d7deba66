/** Page of the catalogues that a person is steward of, with their datasets, drafts and rule of review. */

import { cataloguesOf, hasRole } from '../../http/roles.ts'
import { type Fields, listed, textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { sessionForm, stewardPage } from '../pages/steward/steward-parts.ts'
import { pageList, pageSection } from '../parts/blocks.ts'
import { textTable } from '../parts/table.ts'
import { type Refused, refusalNotice, titleField } from './begin-page.ts'
import { outcome } from './outcome.ts'
import { deskHead } from './desk-frame.ts'
import { formPath } from './form-page.ts'
import { draftTitle, linkIf, listDrafts, ownCatalogues, stateFlag } from './desk-lists.ts'

/** Catalogues of a page, and most drafts of catalogues that are shown. */
const [pageRows, mostDrafts] = [50, 100]

/** Whether the person is steward of a catalogue. */
export const isStewardOf = ({ steward }: StewardContext, catalogue: string): boolean =>
  hasRole(steward.permissions, 'steward', catalogue)

/** Numbers of the published datasets of catalogues. */
async function datasetCounts({ optional, find }: StewardContext, ids: readonly string[]) {
  const facets = ids.length === 0 ? undefined : { catalog: ids }
  const search = { filters: 'dataset', limit: 0, facets, counted: ['catalog'] }
  const counted = (await optional(find(search)))?.facets.get('catalog') ?? []
  return new Map(counted.map(({ id, count }) => [id, count]))
}

/** Page of the catalogues; after a form that began none, with it. `undefined` for who is steward of none. Rejects with `Failure`. */
export async function deskCataloguesPage(context: StewardContext, refused?: Refused): MaybePage {
  const { steward, query, pathTo } = context
  if (cataloguesOf(steward.permissions, 'steward').length === 0) return undefined
  const own = [...(await ownCatalogues(context))].filter(([id]) => isStewardOf(context, id))
  const last = Math.max(1, Math.ceil(own.length / pageRows))
  const page = Math.min(Math.max(Math.trunc(Number(query.get('page'))) || 1, 1), last)
  const shown = own.slice((page - 1) * pageRows, page * pageRows)
  const counts = await datasetCounts(
    context,
    shown.map(([id]) => id),
  )
  const rows = shown.map(([id, title]) =>
    catalogueRow(context, { id, title, datasets: counts.get(id) ?? 0 }),
  )
  const heads = ['facet-catalog', 'datasets-of-it', 'desk-drafts', 'rules-review-short', 'actions']
  const body = html`${outcome(context)} ${textTable(context, 'desk-catalogues', heads, await Promise.all(rows))}
    ${pageList(context, (number) => `${pathTo('desk', 'catalogues')}?page=${number}`, { page, last })} ${await catalogueDrafts(context)}
    ${hasRole(steward.permissions, 'administrator', undefined) && newCatalogue(context, refused)}`
  return stewardPage(context, { tab: 'catalogues', body, head: deskHead(context) })
}

type Row = { readonly id: string; readonly title: string; readonly datasets: number }

async function catalogueRow(context: StewardContext, { id, title, datasets }: Row) {
  const { t, pathTo, formats, askOptional } = context
  const rulesPath = `/catalogues/${encodeURIComponent(id)}/rules`
  const [rules, drafts] = await Promise.all([
    askOptional('deskRepository', rulesPath),
    listDrafts(context, { catalogue: id, limit: 1 }),
  ])
  const which = html`<span class="vh">: ${title}</span>`
  const review = textAt(rules, 'review')
  const edit = html`<input type="hidden" name="of" value="${id}"><button class="button small">${t('catalogue-edit')}${which}</button>
    <a class="button small quiet" href="${pathTo('desk', 'catalogues', id, 'rules')}">${t('rules')}${which}</a>`
  const linked = (number: number, state: string) => {
    const list = new URLSearchParams({ state, catalogue: id }).toString()
    return number > 0
      ? html`<a href="${pathTo('desk', 'datasets')}?${list}">${formats.number(number)}</a>`
      : '–'
  }
  return [
    html`<a href="${pathTo('catalogues', id)}">${title}</a>`,
    linked(datasets, 'published'),
    linked(drafts.count(''), ''),
    review !== undefined && t(`rules-review-${review}`),
    sessionForm(context, pathTo('desk', 'catalogues'), edit),
  ]
}

/** Drafts of records of catalogues, those that were thrown away last; nothing where there is none. */
async function catalogueDrafts(context: StewardContext): Promise<HtmlContent> {
  const { t } = context
  const listOf = (state: string) => listDrafts(context, { state, limit: mostDrafts }, 'catalogues')
  const found = await Promise.all(['', 'away'].map(listOf))
  const item = (draft: Fields) => {
    const id = textAt(draft, 'id') ?? ''
    const href = formPath({ context, draft: { type: 'catalogues', id, catalogue: id } }, 'check')
    const link = listed(draft['may']).length > 0 ? href : undefined
    return html`<li>${icon('circle-dashed')}<div><strong>${linkIf(link, draftTitle(context, draft))}</strong> ${stateFlag(context, textAt(draft, 'state') ?? '')}</div></li>`
  }
  const items = found.flatMap(({ drafts }) => drafts.map(item))
  return (
    items.length > 0 &&
    pageSection('drafts', t('catalogue-drafts'), html`<ul class="todo" role="list">${items}</ul>`)
  )
}

/** Form that begins a catalogue, for administrators. */
function newCatalogue(context: StewardContext, refused: Partial<Refused> = {}): HtmlMarkup {
  const { t, pathTo } = context
  const body = html`${titleField(context, refused)}<p class="row"><button class="button">${t('desk-begin')}</button></p>`
  return pageSection('new', t('catalogue-new'), [
    refusalNotice(context, refused),
    sessionForm(context, pathTo('desk', 'catalogues'), body, 'stack close'),
  ])
}
