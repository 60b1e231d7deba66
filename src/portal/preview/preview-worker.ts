/**
 * Worker that reads tables and maps out of files for previews, which the main thread has fetched, in a thread with bounded
 * memory and time.
 */

import { serve } from '../../workers/serve.ts'
import { type PreviewFile, type PreviewResult, readPreview } from './read-preview.ts'

/** Calls of the worker; `tables` takes the first bytes of a file, and returns its tables and map, or why there are none. */
export type PreviewCalls = { readonly tables: readonly [PreviewFile, PreviewResult] }

serve<PreviewCalls>({ tables: readPreview })
