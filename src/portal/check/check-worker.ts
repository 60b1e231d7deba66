/** Reads RDF that strangers have checked, in a thread of its own, whose memory and time are bounded. */

import { serve } from '../../workers/serve.ts'
import {
  type CheckedText,
  locateResults,
  type LocatedResults,
  readCheckedText,
} from './checked-text.ts'

/** Calls of the thread: a text, then the text with the report of its validation as N-Triples. */
export type CheckCalls = {
  readonly read: readonly [text: string, read: CheckedText]
  readonly place: readonly [{ readonly text: string; readonly report: string }, LocatedResults]
}

serve<CheckCalls>({ read: readCheckedText, place: locateResults })
