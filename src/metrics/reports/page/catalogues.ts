/** The catalogues of the portal by their scores, page by page. */

import type { Addresses } from '../addresses.ts'
import type { CatalogueList, CatalogueRow, Report } from '../report.ts'
import { count } from '../telling/numbers.ts'
import { figureRules } from '../telling/rules.ts'
import { dimensionCells, dimensionHeads } from './dimension-cells.ts'
import { markup, type Markup } from './markup.ts'
import { bandName, points, said, section, wide } from './parts.ts'

export function catalogues(report: Report, list: CatalogueList, addresses: Addresses): Markup {
  const { rows, page } = list
  const [first, last] = [page.offset + 1, page.offset + rows.length]
  const which =
    rows.length === 0
      ? `There are ${count(list.count)}.`
      : `${count(first)} to ${count(last)} of ${count(list.count)}, ${list.order === 'best' ? 'the highest score first' : 'the lowest score first'}.`
  return section(
    { id: 'catalogues', title: 'Catalogues', rule: `${figureRules.catalogues} ${which}` },
    markup`
${rows.length > 0 && table(report, list, addresses)}
${pages(list, addresses)}`,
  )
}

const table = (report: Report, { rows }: CatalogueList, addresses: Addresses): Markup =>
  wide(
    'Catalogues by score',
    markup`
<table>
<caption class="unseen">Catalogues by score</caption>
<thead><tr><th scope="col">Catalogue</th>${dimensionHeads}<th scope="col" class="number">Datasets</th><th scope="col" class="number">Score</th><th scope="col">Band</th></tr></thead>
<tbody>
${rows.map((row) => catalogueRow(report, row, addresses))}</tbody>
</table>`,
  )

const catalogueRow = ({ bands }: Report, row: CatalogueRow, addresses: Addresses): Markup =>
  markup`<tr><th scope="row"><a href="${addresses.catalogue(row.id)}">${said(row.title)}</a></th>${dimensionCells(row.points)}<td class="number">${count(row.datasets)}</td><td class="number">${points(row.score)}</td><td>${bandName(bands, row.band)}</td></tr>
`

function pages({ count: all, page, order }: CatalogueList, addresses: Addresses): Markup {
  const { offset, limit } = page
  const link = (text: string, start: number, isThere: boolean) =>
    isThere &&
    markup`<a href="${addresses.portal({ order, offset: start, limit })}">${text}</a>
`
  const turned = order === 'best' ? 'worst' : 'best'
  return markup`<nav class="pages" aria-label="Pages of the list of catalogues">
${link('First', 0, offset > 0)}${link('Previous', Math.max(0, offset - limit), offset > 0)}${link('Next', offset + limit, offset + limit < all)}${all > 1 && markup`<a href="${addresses.portal({ order: turned, offset: 0, limit })}">${turned === 'worst' ? 'Lowest score first' : 'Highest score first'}</a>`}
</nav>`
}
