fn read(bytes: &[u8]) -> Result<Order, Error> {
    let order = rkyv::access::<ArchivedOrder, Error>(bytes)?;
    let checked = rkyv::check_archived_root::<Order>(bytes)?;
    let root = flatbuffers::root::<Order>(bytes)?;
    let text: Order = serde_json::from_slice(bytes)?;
    let name = unsafe { std::str::from_utf8_unchecked(bytes) };
    drop((order, checked, root, name));
    Ok(text)
}
