/** Dialect of any store with the SPARQL 1.1 Protocol, query and update, with the most cautious assumptions. */

import { updateText } from './update-text.ts'
import type { Dialect } from './dialect.ts'
import { fidelityOf, integers } from './spelled-values.ts'

/** Whether a lexical form is returned unchanged by any store: canonical, short, and of a common datatype. */
function keepsForm(name: string, lexical: string): boolean {
  if (name === 'integer') return /^(0|-?[1-9]\d{0,14})$/.test(lexical)
  if (name === 'decimal') return /^-?(0|[1-9]\d{0,7})\.\d{0,6}[1-9]$/.test(lexical)
  if (name === 'boolean') return lexical === 'true' || lexical === 'false'
  if (name === 'date') return /^\d{4}-\d\d-\d\d$/.test(lexical)
  if (name === 'dateTime') {
    return /^[1-9]\d{3}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d?\d?[1-9])?Z?$/.test(lexical)
  }
  return name === 'anyURI'
}

/** Whether some stores would change the value: integers of more than 18 digits, which 64 bits may not hold. */
const isDamaged = (name: string, lexical: string): boolean =>
  integers.has(name) && lexical.replace(/\D/g, '').replace(/^0+/, '').length > 18

/** Dialect of any SPARQL 1.1 store. */
export const sparql11: Dialect = {
  name: 'sparql11',
  fidelity: fidelityOf({ keepsTag: (language) => /^[a-z]+$/.test(language), keepsForm, isDamaged }),
  sockets: 8,
  writers: 1,
  closesAfterError: false,
  isRetryable: ({ status }) => status === 503,
  // Every write has its own request, because a store need not roll back earlier operations when the last fails.
  fitsOneRequest: () => false,
  commit: (edits, endpoint) => endpoint.update(updateText(edits)),
  usesStaging: false,
  probe: async (endpoint) => {
    await endpoint.ask('ASK {}')
    return { product: 'SPARQL 1.1' }
  },
  constructsQuads: false,
  union: 'never',
}
