/** What to answer where no route fits: 404, 405 with `Allow`, or the methods for OPTIONS. */

import { TrieRouter } from 'hono/router/trie-router'
import type { RouterRoute } from 'hono/types'

/**
 * Tells the methods that some route knows for a path, sorted, HEAD with every GET; empty when the path is unknown.
 * The table is made at the first question, when all routes are there.
 */
export function methodsOf(routes: () => readonly RouterRoute[]): (path: string) => string[] {
  let table: TrieRouter<string> | undefined
  return (path) => {
    table ??= tableOf(routes())
    const methods = new Set(table.match('ALL', path)[0].map(([method]) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort()
  }
}

function tableOf(routes: readonly RouterRoute[]): TrieRouter<string> {
  const table = new TrieRouter<string>()
  const known = new Set<string>()
  for (const { method, path } of routes) {
    // ALL is middleware: it says nothing about which methods a path has.
    if (method === 'ALL' || method === 'OPTIONS' || known.has(`${method} ${path}`)) continue
    known.add(`${method} ${path}`)
    table.add('ALL', path, method)
  }
  return table
}
