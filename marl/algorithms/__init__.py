"""Training algorithms, one readable file each, behind one interface (`marl.algorithms.base.Algorithm`)."""
