const parcels = new Map()

/** Adds a parcel, or changes where it is. */
export const place = (id, where) => parcels.set(id, { id, where })

/** Where a parcel is; undefined for one that nobody brought. */
export const find = (id) => parcels.get(id)
