/** Makes the fields of a shape ready for many records: functions and dotted paths are looked up once. */

import type { Field } from '../../profile/fields.ts'
import { sourceOf } from './fillers.ts'
import type { Slot } from './mapping.ts'
import { mappings } from './table.ts'

/** The slots of fields; `inside` is the dotted path of the field around, with a dot at its end. */
export function slotsOf(fields: readonly Field[], inside = ''): readonly Slot[] {
  return fields.map((field) => {
    const path = inside + field.name
    const site = {
      path,
      single: field.single,
      children: slotsOf(field.children, `${path}.`),
      tooDeep: field.tooDeep === true,
    }
    return {
      field,
      site,
      map: mappings[field.mapping],
      ...sourceOf(field, { path, beside: fields }),
    }
  })
}
