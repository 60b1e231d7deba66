/** The exporter as a kind of segment that any pipe can name. */

import type { SegmentKind } from '../../pipe/segment.ts'
import type { Ground } from './account/ground.ts'
import { doorTo } from './door/choice.ts'
import { exporting } from './exporting.ts'
import { contentOf } from './measured/content.ts'
import { exportingMetrics } from './measured/exporting-metrics.ts'
import { exportConfig, exportSchema } from './settings.ts'

export const exporterSegment = (ground: Ground): SegmentKind => ({
  names: ['exporting-hub', 'exporting-repo', 'exporting-repository'],
  job: 'export',
  schema: exportSchema,
  open: (config, place) => {
    const read = exportConfig.safeParse(config)
    if (!read.success)
      return {
        ok: false,
        problems: read.error.issues.map(({ path, message }) => ({
          key: path.join('.'),
          detail: message,
        })),
      }
    const settings = read.data
    const door = doorTo(ground, settings.hub, place)
    if ('key' in door) return { ok: false, problems: [door] }
    const { catalogue } = place
    return {
      ok: true,
      run: async function* (given, context, signal) {
        const { measures, input } = await contentOf(ground.runs, context.runId, given)
        if (measures) yield* exportingMetrics({ ground, door, settings }, input, context, signal)
        else yield* exporting({ ground, door, catalogue, settings }, input, context, signal)
      },
    }
  },
})
