/** How most stores keep values: by their value where they know the datatype, with language tags in a case of their own. */

import type { Fidelity } from '../dialect.ts'
import { keyOf } from './key.ts'
import { hasDots, hidden, shown, valueOf, xsdName } from '../values.ts'

type Rules = {
  /** Tags that come back as they are. */
  readonly tag: (language: string) => boolean
  /** Lexical forms of XML Schema's datatypes, by local name, that come back as they are. */
  readonly form: (name: string, lexical: string) => boolean
  /** Those that would come back as another value: they are sent under an opaque datatype. */
  readonly damaged: (name: string, lexical: string) => boolean
}

/** A fidelity for stores that differ in which forms they keep. */
export function fidelityOf({ tag, form, damaged }: Rules): Fidelity {
  return {
    encode: (line) => {
      const whole = !hasDots(line)
      const value = valueOf(line)
      if (!value) return { line, exact: whole }
      if (value.language !== '') return { line, exact: whole && tag(value.language) }
      const name = xsdName(value.datatype)
      if (name === undefined) return { line, exact: whole }
      if (damaged(name, value.lexical)) return { line: hidden(line), exact: whole }
      return { line, exact: whole && form(name, value.lexical) }
    },
    decode: shown,
    key: keyOf,
  }
}
