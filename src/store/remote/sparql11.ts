/** Any store that speaks SPARQL 1.1 Protocol, query and update: nothing is taken for granted. */

import { updateText } from './update-text.ts'
import type { Dialect } from './dialect.ts'
import { fidelityOf, integers } from './spelled-values.ts'

/** Forms that are canonical, and short enough for any store's own numbers; types that no store puts into another. */
function form(name: string, lexical: string): boolean {
  if (name === 'integer') return /^(0|-?[1-9]\d{0,14})$/.test(lexical)
  if (name === 'decimal') return /^-?(0|[1-9]\d{0,7})\.\d{0,6}[1-9]$/.test(lexical)
  if (name === 'boolean') return lexical === 'true' || lexical === 'false'
  if (name === 'date') return /^\d{4}-\d\d-\d\d$/.test(lexical)
  if (name === 'dateTime') {
    return /^[1-9]\d{3}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d?\d?[1-9])?Z?$/.test(lexical)
  }
  return name === 'anyURI'
}

/** Integers that do not fit 64 bits become another number in some stores. */
const damaged = (name: string, lexical: string): boolean =>
  integers.has(name) && lexical.replace(/\D/g, '').replace(/^0+/, '').length > 18

export const sparql11: Dialect = {
  name: 'sparql11',
  fidelity: fidelityOf({ tag: (language) => /^[a-z]+$/.test(language), form, damaged }),
  sockets: 8,
  writers: 1,
  destroyAfterError: false,
  retryable: ({ status }) => status === 503,
  // Every write is a request of its own: a store need not undo the first of many when the last fails.
  fits: () => false,
  land: (edits, endpoint) => endpoint.update(updateText(edits)),
  namesCleared: false,
  stages: false,
  probe: async (endpoint) => {
    await endpoint.ask('ASK {}')
    return { product: 'SPARQL 1.1' }
  },
  quads: false,
  union: 'never',
}
