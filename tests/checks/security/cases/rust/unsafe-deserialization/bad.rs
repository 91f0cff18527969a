fn read(bytes: &[u8], owned: &mut Vec<u8>) {
    let order = unsafe { rkyv::archived_root::<Order>(bytes) }; // bad
    let other = unsafe { rkyv::access_unchecked::<ArchivedOrder>(bytes) }; // bad
    let third: Order = unsafe { rkyv::from_bytes_unchecked(bytes).unwrap() }; // bad
    let fourth = unsafe { abomonation::decode::<Order>(owned) }; // bad
    let fifth = unsafe { flatbuffers::root_unchecked::<Order>(bytes) }; // bad
    drop((order, other, third, fourth, fifth));
}
