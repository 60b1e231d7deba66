/** Worker that reads RDF which readers let check, in a thread with bounded memory and time. */

import { serve } from '../../workers/serve.ts'
import {
  type CheckedText,
  locateResults,
  type LocatedResults,
  readCheckedText,
} from './checked-text.ts'

/** Calls of the worker: `read` takes a text, `place` a text with the report of its validation as N-Triples. */
export type CheckCalls = {
  readonly read: readonly [text: string, read: CheckedText]
  readonly place: readonly [{ readonly text: string; readonly report: string }, LocatedResults]
}

serve<CheckCalls>({ read: readCheckedText, place: locateResults })
