/** Reads files of strangers in a thread of its own, whose memory and time are bounded. */

import { serve } from '../../workers/serve.ts'
import { type PreviewFile, type PreviewResult, readPreview } from './read-preview.ts'

export type PreviewCalls = { readonly tables: readonly [PreviewFile, PreviewResult] }

serve<PreviewCalls>({ tables: readPreview })
