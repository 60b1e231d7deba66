/** A query tree as one line, for tables. */

import type { QueryTree } from '../../../src/search-index/query-tree.ts'

export function treeText(tree: QueryTree): string {
  switch (tree.kind) {
    case 'all':
    case 'none':
      return tree.kind
    case 'term':
      return scoped(
        tree.field,
        (tree.pieces ? `${tree.token}(${tree.pieces.join(' ')})` : tree.token) +
          '?'.repeat(tree.marks ?? 0),
      )
    case 'exact':
    case 'prefix':
      return scoped(tree.field, `${tree.kind}(${tree.token})`)
    case 'phrase':
      return scoped(tree.field, `phrase(${tree.tokens.join(' ')})`)
    case 'wild':
      return scoped(tree.field, `wild(${tree.pattern})`)
    case 'range':
      return `range(${tree.name}, ${bound(tree.from)}, ${bound(tree.to)})`
    case 'value':
      return `value(${tree.facet}, ${tree.value})`
    case 'not':
      return `not(${treeText(tree.operand)})`
    default:
      return `${tree.kind}(${tree.operands.map(treeText).join(', ')})`
  }
}

const scoped = (field: string | undefined, text: string) =>
  field === undefined ? text : `${field}:${text}`

/** Numbers above a million are instants. */
const bound = (value: number | undefined) =>
  value === undefined
    ? '*'
    : Math.abs(value) < 1e6
      ? String(value)
      : new Date(value).toISOString().replace('T00:00:00.000Z', '')
