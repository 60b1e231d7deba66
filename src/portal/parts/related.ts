/** Related datasets: series, members, versions and parts as links to their pages. */

import { type Fields, listed, textAt, textOr } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, joinHtml } from '../html.ts'
import { listAt } from '../record.ts'
import { pageSection, pairList } from './blocks.ts'
import { datasetList } from './hits.ts'

/** Most datasets that are shown for each relation. */
const mostShown = 200

const relations = ['series', 'previous', 'next', 'version', 'whole', 'part'] as const

/** Sections with the related datasets; `answer` is that of the repository to `/datasets/{id}/related`. */
export function relatedSections(context: PageContext, answer: Fields | undefined): HtmlContent {
  const { t, pathTo, titleOf } = context
  const byRelation = Map.groupBy(listAt(answer, 'related'), (related) =>
    textAt(related, 'relation'),
  )
  const datasetsOf = (relation: string) => (byRelation.get(relation) ?? []).slice(0, mostShown)
  const link = (dataset: Fields) =>
    html`<a href="${pathTo('datasets', textAt(dataset, 'id') ?? '')}">${titleOf(dataset)}</a>`
  const rows = relations.flatMap((relation) => {
    const links = datasetsOf(relation).map(link)
    return links.length > 0 ? [[t(`relation-${relation}`), joinHtml(links, ' · ')] as const] : []
  })
  const members = datasetsOf('member')
  const list = () => datasetList(context, members, () => [])
  return html`${rows.length > 0 && pageSection('rel', t('related'), pairList(rows))}
    ${members.length > 0 && pageSection('members', t('relation-member'), list())}`
}

/** Replaces the IRIs of datasets of this platform in a record by links to their pages; `answer` as in `relatedSections`. */
export function linkRelatedDatasets(
  { root, language, plainTitle }: PageContext,
  record: Fields,
  answer: Fields | undefined,
): Fields {
  const pages = new Map<string, Fields>()
  for (const related of listAt(answer, 'related')) {
    const [address, id] = [textAt(related, 'address'), textAt(related, 'id') ?? '']
    if (address === undefined) continue
    const resource = `${root}${language}/datasets/${encodeURIComponent(id)}`
    pages.set(address, { resource, label: plainTitle(related) })
  }
  if (pages.size === 0) return record
  const linkOf = (value: unknown) => pages.get(textOr(value) ?? textAt(value, 'resource') ?? '')
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      listed(value).some(linkOf) ? listed(value).map((entry) => linkOf(entry) ?? entry) : value,
    ]),
  )
}
