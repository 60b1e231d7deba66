/** Worker that reads files of other hosts for previews, in a thread with bounded memory and time. */

import { serve } from '../../workers/serve.ts'
import { type PreviewFile, type PreviewResult, readPreview } from './read-preview.ts'

/** Calls of the worker. */
export type PreviewCalls = { readonly tables: readonly [PreviewFile, PreviewResult] }

serve<PreviewCalls>({ tables: readPreview })
